/**
 * Gives the notices that are owed: those of this sender at once, and those that one which ended has
 * left behind.
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

/** Gives what is owed now. */
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
 * Gives what is owed, and logs why it can't.
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
 * Gives what is owed for ever: when it is told that something may be, and now and then.
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
