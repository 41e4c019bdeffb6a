/**
 * Keeps webhook endpoints, with their health.
 *
 * An adapter that provides `EndpointStore` must pass `EndpointStoreSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Option } from "effect"
import type { EventName } from "../domain/DomainEvent.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { StoreError } from "../domain/StoreError.ts"
import type { WebhookEndpoint } from "../domain/WebhookEndpoint.ts"

/**
 * Storage for endpoints.
 *
 * @category ports
 * @since 0.1.0
 */
export class EndpointStore extends Context.Service<
  EndpointStore,
  {
    /** Adds an endpoint at version 1. Fails with `AlreadyExists` if the id is taken. */
    readonly insert: (endpoint: WebhookEndpoint) => Effect.Effect<WebhookEndpoint, StoreError>

    /** Finds an endpoint of the account's by id. */
    readonly get: (
      accountId: string,
      id: string
    ) => Effect.Effect<Option.Option<WebhookEndpoint>, StoreError>

    /** Finds endpoints by id, whosever they are, in any order; those that are gone are left out. */
    readonly getMany: (
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<WebhookEndpoint>, StoreError>

    /**
     * Replaces an endpoint and returns it with the next version. Fails with `VersionConflict` if it
     * changed. The store keeps its own `sequence` and the health of `keepHealth`, which go on
     * without a new version as deliveries are made and end.
     */
    readonly update: (endpoint: WebhookEndpoint) => Effect.Effect<WebhookEndpoint, StoreError>

    /**
     * Keeps the observations of sending to an endpoint: `status`, `disabled_reason`, `disabled_at`,
     * `consecutive_failures`, `last_success_at`, `last_failure_at`, `failing_since`,
     * `warned_percent`, `held_until`, `repaired_at`, `missed_since`. It leaves the rest and the
     * version as they are, because versions guard the changes of callers. Does nothing where it is
     * gone. It blocks until every open transaction that called `listSubscribed` for its account has
     * ended.
     */
    readonly keepHealth: (endpoint: WebhookEndpoint) => Effect.Effect<void, StoreError>

    /**
     * Removes an endpoint and cancels its unfinished deliveries. Fails with `NotFound` if there is
     * none.
     */
    readonly remove: (accountId: string, id: string) => Effect.Effect<void, StoreError>

    /** The account's endpoints, newest first. */
    readonly list: (
      accountId: string,
      page: PageRequest
    ) => Effect.Effect<Page<WebhookEndpoint>, StoreError>

    /**
     * The account's endpoints that want an event, disabled ones too, oldest first. Until the end of
     * the transaction around this call, no caller disables or enables any of them. A caller that
     * wants to waits, and so finds the deliveries made here.
     */
    readonly listSubscribed: (
      accountId: string,
      event: EventName
    ) => Effect.Effect<ReadonlyArray<WebhookEndpoint>, StoreError>

    /**
     * Takes the secret before out of up to `limit` endpoints where it may not sign any more, and
     * gives their number. The rest and the version stay: no caller changed anything.
     */
    readonly eraseSpentSecrets: (request: {
      /** The secrets that signed until then or earlier, as a timestamp. */
      readonly until: string
      readonly limit: number
    }) => Effect.Effect<number, StoreError>
  }
>()("@candlewick/core/ports/EndpointStore") {}
