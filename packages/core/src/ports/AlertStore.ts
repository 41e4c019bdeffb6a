/**
 * Keeps alerts and whether they are armed.
 *
 * An adapter that provides `AlertStore` must pass `AlertStoreSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Option } from "effect"
import type { Alert } from "../domain/Alert.ts"
import type { AlertPageRequest } from "../domain/listFilters.ts"
import type { Page } from "../domain/Page.ts"
import type { StoreError } from "../domain/StoreError.ts"

/**
 * Storage for alerts, each seen by its own account only and guarded against lost updates by its
 * `version`.
 *
 * @category ports
 * @since 0.1.0
 */
export class AlertStore extends Context.Service<
  AlertStore,
  {
    /** Adds one at version 1. Fails with `AlreadyExists` if the id is taken. */
    readonly insert: (record: Alert) => Effect.Effect<Alert, StoreError>

    /** Finds one of the account's by id. */
    readonly get: (accountId: string, id: string) => Effect.Effect<Option.Option<Alert>, StoreError>

    /**
     * Replaces an alert and returns it with the next version. The store keeps its own count of
     * firings (`last_candle_at`, `fired_count`, `last_fired_at`). Fails with `VersionConflict` if
     * it is not at `record.version` any more, and with `NotFound` if it is gone.
     */
    readonly update: (record: Alert) => Effect.Effect<Alert, StoreError>

    /**
     * Keeps observations of an alert (`is_enabled`, `is_armed`, `last_value`, `last_candle_at`,
     * `fired_count`, `last_fired_at`). It leaves the rest and the version as they are, because
     * versions guard the changes of callers. Fails with `VersionConflict` where the alert is not as
     * `before` any more: it was changed, has seen a later candle, or has fired. Does nothing where
     * it is gone.
     */
    readonly keepState: (seen: Alert, before: Alert) => Effect.Effect<void, StoreError>

    /** The account's that the filter leaves, newest first. */
    readonly list: (
      accountId: string,
      page: AlertPageRequest
    ) => Effect.Effect<Page<Alert>, StoreError>

    /** How many the account has, without reading them. */
    readonly count: (accountId: string) => Effect.Effect<number, StoreError>

    /** Removes one. Fails with `NotFound` if there is none. */
    readonly remove: (accountId: string, id: string) => Effect.Effect<void, StoreError>

    /** The enabled alerts of these bots of the account, oldest first. */
    readonly listOfBots: (
      accountId: string,
      botIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Alert>, StoreError>

    /** The enabled price alerts of every account that belong to no bot, oldest first. */
    readonly listOfSymbol: (symbol: string) => Effect.Effect<ReadonlyArray<Alert>, StoreError>
  }
>()("@candlewick/core/ports/AlertStore") {}
