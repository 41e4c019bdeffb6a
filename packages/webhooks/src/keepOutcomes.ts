/**
 * What came of attempts, kept by the batch.
 *
 * @since 0.1.0
 */
import {
  type Delivery,
  type DeliveryOutcome,
  type StoreError,
  type WebhookEndpoint,
  type WebhookStore
} from "@candlewick/core"
import { Effect, Metric } from "effect"
import { endAttempt, isAccepted, judgeEndpoint } from "./decideDelivery.ts"
import { giveNotice, noticeOf, type OnEndpointStatus } from "./EndpointNotice.ts"
import type { AttemptOutcome } from "./postNotification.ts"

/** An attempt that is over. @category models @since 0.1.0 */
export interface EndedAttempt {
  readonly delivery: Delivery
  readonly outcome: AttemptOutcome
  readonly nowMs: number
  /** In [0, 1), for the jitter. */
  readonly random: number
}

const attempts = Metric.counter("candlewick_webhook_attempts_total", {
  description: "Attempts to deliver a notification, by what came of them"
})

interface Change {
  readonly before: WebhookEndpoint
  readonly after: WebhookEndpoint
}

const countAttempts = (ended: ReadonlyArray<EndedAttempt>): Effect.Effect<void> => {
  const counts = new Map<string, number>()
  for (const { outcome } of ended) {
    const result = isAccepted(outcome)
      ? "accepted"
      : outcome._tag === "Unanswered"
        ? outcome.error
        : "http_status"
    counts.set(result, (counts.get(result) ?? 0) + 1)
  }
  return Effect.forEach(
    counts,
    ([result, count]) => Metric.update(Metric.withAttributes(attempts, { result }), count),
    { discard: true }
  )
}

/**
 * Keeps the ends of attempts in one step, then says what that means for their endpoints. What was
 * taken over by another sender meanwhile is left to that one.
 *
 * @category services
 * @since 0.1.0
 */
export const keepOutcomes = Effect.fnUntraced(function* (
  store: WebhookStore["Service"],
  ended: ReadonlyArray<EndedAttempt>,
  listener: OnEndpointStatus | undefined
): Effect.fn.Return<void, StoreError> {
  const changes = new Map<string, Change>()
  const outcomes = ended.map(({ delivery, ...end }): DeliveryOutcome => ({
    delivery: endAttempt(delivery, end),
    judge: (before, kept) => {
      const after = judgeEndpoint(before, kept, end)
      changes.set(delivery.id, { before, after })
      return after
    }
  }))
  const kept = yield* store.keepOutcomes(outcomes)
  yield* countAttempts(ended)
  for (const { id } of kept) {
    const change = changes.get(id)
    const notice = change === undefined ? null : noticeOf(change.before, change.after)
    if (notice === null) continue
    if (notice.kind === "disabled") yield* store.cancelWaiting(notice.webhookId)
    yield* giveNotice(notice, listener)
  }
})
