/**
 * Gives deliveries that are due to one sender each, and keeps the outcomes.
 *
 * A claim leases deliveries by the store's clock. A sender that dies keeps its deliveries until the
 * lease ends, and no longer; a late outcome of it is refused. So a crash may repeat a
 * delivery, and loses none. The queue sends nothing and picks no retry times.
 *
 * An adapter that provides `DeliveryQueue` must pass `DeliveryQueueSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Option } from "effect"
import type { StoreError } from "../domain/StoreError.ts"
import type { Delivery } from "../domain/WebhookEndpoint.ts"
import type { DeliveryOutcome } from "../domain/webhooks/foldOutcomes.ts"

/**
 * The deliveries of `DeliveryStore` as a queue: a claim gives one to a sender until its lease ends.
 *
 * **Details**
 *
 * The store's own time decides which delivery is due and when a lease ends: PostgreSQL's clock, or
 * Effect's `Clock` in memory. Senders whose clocks differ therefore never hold one delivery at
 * once.
 *
 * @category ports
 * @since 0.1.0
 */
export class DeliveryQueue extends Context.Service<
  DeliveryQueue,
  {
    /**
     * Takes up to `limit` deliveries that are due by the store's time, or whose lease has ended. It
     * leases them for `leaseMs` from then on in state `sending`. No endpoint gets more of them than
     * its `max_concurrency`, and no account more than `accountMax`, those under way included. The
     * last `accountKept` of an account go to endpoints without a delivery under way. A delivery
     * that was leased `slowAfterMs` ago or earlier is slow. It counts for its account only against
     * endpoints that have something slow under way, and those come after the others of the account.
     * So requests that hang take no place from other endpoints. An endpoint named in `allowances`
     * gets no more than it says, samples apart, which nothing but those limits holds back;
     * endpoints take turns. Within a turn the order is by due time, then by id, over all accounts.
     */
    readonly claim: (request: {
      readonly leaseMs: number
      readonly slowAfterMs: number
      readonly limit: number
      readonly accountMax: number
      readonly accountKept: number
      readonly allowances: ReadonlyMap<string, number>
    }) => Effect.Effect<ReadonlyArray<Delivery>, StoreError>

    /**
     * The milliseconds of the store's time until the next delivery is due or the next lease ends.
     * The number is negative for an overdue one, and none where nothing waits.
     */
    readonly nextDueInMs: Effect.Effect<Option.Option<number>, StoreError>

    /** How many deliveries wait or are under way, for people to read. */
    readonly countOpen: Effect.Effect<number, StoreError>

    /**
     * Keeps the outcomes of many attempts in one step. It replaces their deliveries as
     * `DeliveryStore.updateMany` does and locks their endpoints. It writes the result of
     * `foldOutcomes` over the replaced ones. So no judgement is lost where attempts end at once.
     * The judgement that disables an endpoint also cancels its waiting deliveries.
     */
    readonly keepOutcomes: (
      outcomes: ReadonlyArray<DeliveryOutcome>
    ) => Effect.Effect<ReadonlyArray<Delivery>, StoreError>

    /**
     * Cancels the waiting deliveries of an endpoint, and leaves those under way. Returns the id of
     * the oldest delivery that was not over. A delivery under way may be that one, because its
     * outcome is not known yet.
     */
    readonly cancelWaiting: (webhookId: string) => Effect.Effect<Option.Option<string>, StoreError>
  }
>()("@candlewick/core/ports/DeliveryQueue") {}
