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

    /**
     * Finds endpoints of any account by id, in any order. The answer lacks endpoints that are gone.
     */
    readonly getMany: (
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<WebhookEndpoint>, StoreError>

    /**
     * Replaces an endpoint and returns it with the next version. Fails with `VersionConflict` if
     * another caller has changed it. `sequence` and the fields of `keepHealth` stay as the store
     * has them: deliveries change those, and make no version.
     */
    readonly update: (endpoint: WebhookEndpoint) => Effect.Effect<WebhookEndpoint, StoreError>

    /**
     * Keeps the health of an endpoint, as its deliveries show it: `status`, `disabled_reason`,
     * `disabled_at`, `consecutive_failures`, `last_success_at`, `last_failure_at`, `failing_since`,
     * `warned_percent`, `held_until`, `repaired_at`, `missed_since`. All other fields and the
     * version stay, because versions guard the changes of callers. Does nothing where the endpoint
     * is gone. Blocks until every open transaction that called `listSubscribed` for the account has
     * ended.
     */
    readonly keepHealth: (endpoint: WebhookEndpoint) => Effect.Effect<void, StoreError>

    /**
     * Removes an endpoint and cancels its unfinished deliveries. Fails with `NotFound` if the
     * account has no such endpoint.
     */
    readonly remove: (accountId: string, id: string) => Effect.Effect<void, StoreError>

    /** The account's endpoints, newest first. */
    readonly list: (
      accountId: string,
      page: PageRequest
    ) => Effect.Effect<Page<WebhookEndpoint>, StoreError>

    /**
     * The account's endpoints that subscribe to an event, oldest first. Disabled endpoints are
     * among them. A caller that disables or enables one of them waits for the end of the
     * transaction around this call. It then finds the deliveries that the transaction has made.
     */
    readonly listSubscribed: (
      accountId: string,
      event: EventName
    ) => Effect.Effect<ReadonlyArray<WebhookEndpoint>, StoreError>

    /**
     * Erases the previous secret of up to `limit` endpoints whose overlap has ended, and returns
     * their number. All other fields and the version stay, because no caller has changed the
     * endpoint.
     */
    readonly eraseSpentSecrets: (request: {
      /** The latest end of an overlap that counts as over. */
      readonly until: string
      readonly limit: number
    }) => Effect.Effect<number, StoreError>
  }
>()("@candlewick/core/ports/EndpointStore") {}
