/**
 * Keeps replays, and their progress.
 *
 * An adapter that provides `ReplayStore` must pass `ReplayStoreSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Option } from "effect"
import type { ReplayPageRequest } from "../domain/listFilters.ts"
import type { Page } from "../domain/Page.ts"
import type { Replay } from "../domain/Replay.ts"
import type { StoreError } from "../domain/StoreError.ts"

/**
 * Storage for replays.
 *
 * @category ports
 * @since 0.1.0
 */
export class ReplayStore extends Context.Service<
  ReplayStore,
  {
    /** Adds a replay at version 1. Fails with `AlreadyExists` if the id is taken. */
    readonly insert: (replay: Replay) => Effect.Effect<Replay, StoreError>

    /** Finds a replay of the account's by id. */
    readonly get: (
      accountId: string,
      id: string
    ) => Effect.Effect<Option.Option<Replay>, StoreError>

    /**
     * Replaces a replay and returns it with the next version. Fails with `VersionConflict` if it
     * changed.
     */
    readonly update: (replay: Replay) => Effect.Effect<Replay, StoreError>

    /** The replays of an endpoint that the filter leaves, newest first. */
    readonly list: (
      webhookId: string,
      page: ReplayPageRequest
    ) => Effect.Effect<Page<Replay>, StoreError>

    /** Every running replay of all accounts, oldest first. */
    readonly listRunning: Effect.Effect<ReadonlyArray<Replay>, StoreError>

    /** Removes up to `limit` replays that are over and whose ids are below `before`. */
    readonly removeFinished: (request: {
      readonly before: string
      readonly limit: number
    }) => Effect.Effect<number, StoreError>
  }
>()("@candlewick/core/ports/ReplayStore") {}
