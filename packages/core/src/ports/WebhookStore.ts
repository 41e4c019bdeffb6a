/**
 * Keeps webhook endpoints and the deliveries to them.
 *
 * An adapter that provides `WebhookStore` must pass `WebhookStoreSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Option } from "effect"
import type { EventName } from "../domain/DomainEvent.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { Replay } from "../domain/Replay.ts"
import type { StoreError } from "../domain/StoreError.ts"
import type {
  Delivery,
  ListedDelivery,
  OwedNotice,
  WebhookEndpoint
} from "../domain/WebhookEndpoint.ts"
import type { DeliveryOutcome } from "../domain/webhooks/foldOutcomes.ts"

/**
 * Storage for endpoints and deliveries; a claim gives a delivery to one sender until its lease
 * ends.
 *
 * @category ports
 * @since 0.1.0
 */
export class WebhookStore extends Context.Service<
  WebhookStore,
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
     * Keeps what sending has found out about an endpoint (`status`, `disabled_reason`,
     * `disabled_at`, `consecutive_failures`, `last_success_at`, `last_failure_at`,
     * `failing_since`, `warned_percent`, `held_until`, `repaired_at`, `missed_since`) and leaves the
     * rest and the version as they are: versions guard what callers change. Does nothing where it
     * is gone. It waits for who called `listSubscribed` of its account and is not at an end.
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
     * the transaction that it is called in, none of them is disabled or enabled: who does so waits,
     * and so finds what is made for them here.
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
      /** Those that signed until then or earlier, as a timestamp. */
      readonly until: string
      readonly limit: number
    }) => Effect.Effect<number, StoreError>

    /**
     * Adds a delivery at version 1 and numbers it within its endpoint. An event that the endpoint
     * has a delivery of already is left as it is, so that fanning out twice is harmless; then the
     * stored one is returned. Fails with `NotFound` if there is no such endpoint.
     */
    readonly insertDelivery: (
      delivery: Omit<Delivery, "sequence">
    ) => Effect.Effect<Delivery, StoreError>

    /**
     * Adds many deliveries in one step, numbered in this order, and gives those that were made.
     * Left out is one whose event its endpoint has a delivery of already, whose id is taken, or
     * whose endpoint is gone.
     */
    readonly insertDeliveries: (
      deliveries: ReadonlyArray<Omit<Delivery, "sequence">>
    ) => Effect.Effect<ReadonlyArray<Delivery>, StoreError>

    /**
     * Replaces a delivery and returns it with the next version. Fails with `VersionConflict` if it
     * changed.
     */
    readonly updateDelivery: (delivery: Delivery) => Effect.Effect<Delivery, StoreError>

    /**
     * Replaces many deliveries in one step and gives those that were kept, in this order and at
     * their next versions; one that changed since, or is gone, is left out. Bodies stay as
     * they were stored, and need not be given.
     */
    readonly updateDeliveries: <A extends ListedDelivery>(
      deliveries: ReadonlyArray<A>
    ) => Effect.Effect<ReadonlyArray<A>, StoreError>

    /**
     * Keeps the outcomes of many attempts in one step: replaces their deliveries as
     * `updateDeliveries` does, locks their endpoints, and writes the result of `foldOutcomes` over
     * those that were kept. So no judgement is lost where attempts end at once, and the deliveries
     * that wait for an endpoint are cancelled with the judgement that disables it.
     */
    readonly keepOutcomes: (
      outcomes: ReadonlyArray<DeliveryOutcome>
    ) => Effect.Effect<ReadonlyArray<Delivery>, StoreError>

    /** Finds a delivery of an endpoint by id. */
    readonly getDelivery: (
      webhookId: string,
      id: string
    ) => Effect.Effect<Option.Option<Delivery>, StoreError>

    /**
     * An endpoint's deliveries, newest first and without their bodies, down to the id `after`, which
     * is left out.
     */
    readonly listDeliveries: (
      webhookId: string,
      page: PageRequest & {
        readonly after?: string | undefined
        readonly status?: Delivery["status"] | undefined
        readonly event?: EventName | undefined
      }
    ) => Effect.Effect<Page<ListedDelivery>, StoreError>

    /** Adds a replay at version 1. Fails with `AlreadyExists` if the id is taken. */
    readonly insertReplay: (replay: Replay) => Effect.Effect<Replay, StoreError>

    /** Finds a replay of the account's by id. */
    readonly getReplay: (
      accountId: string,
      id: string
    ) => Effect.Effect<Option.Option<Replay>, StoreError>

    /**
     * Replaces a replay and returns it with the next version. Fails with `VersionConflict` if it
     * changed.
     */
    readonly updateReplay: (replay: Replay) => Effect.Effect<Replay, StoreError>

    /** The replays of an endpoint, newest first. */
    readonly listReplays: (
      webhookId: string,
      page: PageRequest
    ) => Effect.Effect<Page<Replay>, StoreError>

    /** Every replay that is running, whosever it is, oldest first. */
    readonly runningReplays: Effect.Effect<ReadonlyArray<Replay>, StoreError>

    /** Removes up to `limit` replays that are over and whose ids are below `before`. */
    readonly removeReplays: (request: {
      readonly before: string
      readonly limit: number
    }) => Effect.Effect<number, StoreError>

    /**
     * Takes up to `limit` notices that are owed, the oldest first, for as long as the lease lasts:
     * one that is not settled by then is owed again.
     */
    readonly takeNotices: (request: {
      readonly nowMs: number
      readonly leaseUntilMs: number
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<OwedNotice>, StoreError>

    /** Forgets notices that were given, by the attempts that they came of. */
    readonly settleNotices: (attemptIds: ReadonlyArray<string>) => Effect.Effect<void, StoreError>

    /**
     * Cancels what waits for an endpoint and is not under way. Gives the id of the oldest delivery
     * that was not over, those under way included: nobody knows yet what becomes of them.
     */
    readonly cancelWaiting: (webhookId: string) => Effect.Effect<Option.Option<string>, StoreError>

    /**
     * Removes up to `limit` finished deliveries, of whomever, whose ids are below `before`, and
     * gives their number.
     */
    readonly removeDeliveries: (request: {
      readonly before: string
      readonly limit: number
    }) => Effect.Effect<number, StoreError>

    /**
     * Takes up to `limit` deliveries that are due at `nowMs`, or whose lease has ended, and leases
     * them until `leaseUntilMs` in state `sending`. No endpoint gets more of them than its
     * `max_concurrency` and no account more than `accountMax`, those under way included, the last
     * `accountKept` of which go to endpoints that nothing is under way to. What is under way on a
     * lease that ends at `slowUntilMs` or earlier is slow: it counts for its account only against
     * endpoints that something slow is under way to, and those come after the others of the
     * account. So those that hang leave to others what they would have without them. An endpoint
     * named in `allowances` gets no more than it says, samples apart, which nothing but those
     * limits holds back; endpoints take turns. The earliest due come first.
     */
    readonly claim: (request: {
      readonly nowMs: number
      readonly leaseUntilMs: number
      readonly slowUntilMs: number
      readonly limit: number
      readonly accountMax: number
      readonly accountKept: number
      readonly allowances: ReadonlyMap<string, number>
    }) => Effect.Effect<ReadonlyArray<Delivery>, StoreError>

    /**
     * When the next delivery is due or the next lease ends, in epoch milliseconds; none where
     * nothing waits.
     */
    readonly nextDueAt: Effect.Effect<Option.Option<number>, StoreError>
  }
>()("@candlewick/core/ports/WebhookStore") {}
