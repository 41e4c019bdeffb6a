/**
 * Keeps the outcomes of attempts by the batch.
 *
 * @since 0.1.0
 */
import type { Delivery, DeliveryOutcome, DeliveryQueue, StoreError } from "@candlewick/core"
import { type Cause, Effect, Metric, Schedule } from "effect"
import { endAttempt, evidenceOf, isAccepted } from "./decideDelivery.ts"
import type { AttemptOutcome } from "./postNotification.ts"

/** An attempt that is over. @category models @since 0.1.0 */
export interface EndedAttempt {
  readonly delivery: Delivery
  readonly outcome: AttemptOutcome
  readonly nowMs: number
  /** In [0, 1), for the jitter. */
  readonly random: number
  /** Until when this sender leaves the endpoint alone from now on, or null. */
  readonly heldUntilMs: number | null
  /** The last repair of the endpoint when the attempt began. */
  readonly repairedAt: string | null
}

const attempts = Metric.counter("candlewick_webhook_attempts_total", {
  description: "Attempts to deliver a notification, by outcome"
})

const storePause = "200 millis"

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

/** The end of an attempt as the store keeps it. */
const outcomeOf = (end: EndedAttempt): DeliveryOutcome => {
  const { delivery, heldUntilMs, nowMs, outcome, repairedAt } = end
  return {
    delivery: endAttempt(delivery, end),
    evidence: evidenceOf(outcome, { endedAtMs: nowMs, heldUntilMs, repairedAt })
  }
}

/** Keeps ends in one step, and tries again while the store is away. */
const keepTogether = (
  queue: DeliveryQueue["Service"],
  outcomes: ReadonlyArray<DeliveryOutcome>
): Effect.Effect<unknown, StoreError> =>
  Effect.retry(queue.keepOutcomes(outcomes), {
    schedule: Schedule.spaced(storePause),
    while: ({ isContentRefused }) => !isContentRefused
  })

/** Keeps ends together, or each by itself where the store refuses the content of one of them. */
const keepAll = (
  queue: DeliveryQueue["Service"],
  outcomes: ReadonlyArray<DeliveryOutcome>
): Effect.Effect<void, StoreError> =>
  Effect.asVoid(keepTogether(queue, outcomes)).pipe(
    Effect.catchIf(
      ({ isContentRefused }) => isContentRefused,
      (error) => {
        const [first, ...others] = outcomes
        return first === undefined || others.length > 0
          ? Effect.forEach(outcomes, (one) => keepAll(queue, [one]), { discard: true })
          : Effect.logError(`an attempt's end can't be kept (${first.delivery.id})`, error)
      }
    )
  )

/**
 * Keeps the ends of attempts and their effects on endpoints in one step. Tries again for so long
 * while the store is away. A delivery that another sender took over meanwhile is left to that
 * sender. A delivery whose end the store refuses is left to the end of its lease.
 *
 * @category services
 * @since 0.1.0
 */
export const keepOutcomes = Effect.fnUntraced(function* (
  queue: DeliveryQueue["Service"],
  ended: ReadonlyArray<EndedAttempt>,
  patienceMs: number
): Effect.fn.Return<void, StoreError | Cause.TimeoutError> {
  // An attempt was made once, however often it takes to keep its end.
  yield* countAttempts(ended)
  yield* Effect.timeout(keepAll(queue, ended.map(outcomeOf)), patienceMs)
})
