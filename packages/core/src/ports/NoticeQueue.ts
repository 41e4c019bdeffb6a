/**
 * Gives the notices that `DeliveryQueue.keepOutcomes` owes to one process each.
 *
 * An adapter that provides `NoticeQueue` must pass `NoticeQueueSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import type { StoreError } from "../domain/StoreError.ts"
import type { OwedNotice } from "../domain/WebhookEndpoint.ts"

/**
 * The notices of endpoints that are owed to their operator.
 *
 * @category ports
 * @since 0.1.0
 */
export class NoticeQueue extends Context.Service<
  NoticeQueue,
  {
    /**
     * Takes up to `limit` owed notices, the earliest written first, for `leaseMs` of the store's
     * time. A notice that is not settled by then is owed again.
     */
    readonly take: (request: {
      readonly leaseMs: number
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<OwedNotice>, StoreError>

    /** Forgets notices that were given, by the attempts that they came of. */
    readonly settle: (attemptIds: ReadonlyArray<string>) => Effect.Effect<void, StoreError>
  }
>()("@candlewick/core/ports/NoticeQueue") {}
