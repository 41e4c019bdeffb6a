/**
 * Gives owed notices: this sender's at once, and later those of senders that have ended.
 *
 * @since 0.1.0
 */
import type { NoticeQueue, OwedNotice, StoreError } from "@candlewick/core"
import { Effect, Queue } from "effect"
import { giveNotice, type OnEndpointStatus } from "./EndpointNotice.ts"

const takenMax = 100
const leaseMs = 60_000
const patience = "30 seconds"
const pause = "1 minute"

/** Gives the notices that are owed now. */
const payAll = Effect.fnUntraced(function* (
  notices: NoticeQueue["Service"],
  listener: OnEndpointStatus | undefined
): Effect.fn.Return<void, StoreError> {
  let taken: ReadonlyArray<OwedNotice>
  do {
    taken = yield* notices.take({ leaseMs, limit: takenMax })
    for (const { attempt_id, notice } of taken) {
      yield* Effect.ignore(Effect.timeout(giveNotice(notice, listener), patience))
      yield* notices.settle([attempt_id])
    }
  } while (taken.length === takenMax)
})

/**
 * Gives owed notices, and logs a failure.
 *
 * @category services
 * @since 0.1.0
 */
export const payNotices = (
  notices: NoticeQueue["Service"],
  listener: OnEndpointStatus | undefined
): Effect.Effect<void> =>
  Effect.catchCause(payAll(notices, listener), (cause) =>
    Effect.logWarning("notices of webhooks are owed for now", cause)
  )

/**
 * Gives owed notices for ever: after each signal, and now and then.
 *
 * @category services
 * @since 0.1.0
 */
export const keepPaying = (
  notices: NoticeQueue["Service"],
  listener: OnEndpointStatus | undefined,
  owing: Queue.Queue<void>
): Effect.Effect<never> =>
  payNotices(notices, listener).pipe(
    Effect.andThen(Effect.timeoutOption(Queue.take(owing), pause)),
    Effect.forever
  )
