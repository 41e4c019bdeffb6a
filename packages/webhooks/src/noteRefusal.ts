/**
 * The notice of a refused address to an operator: the rule and the endpoint, never the address
 * itself.
 *
 * @since 0.1.0
 */
import type { Delivery } from "@candlewick/core"
import { Effect, Metric } from "effect"
import type { AttemptOutcome } from "./postNotification.ts"

const refusals = Metric.counter("candlewick_webhook_refusals_total", {
  description: "Attempts that the address policy refused, by the rule that did"
})

/** Logs and counts an attempt that a rule refused. @category services @since 0.1.0 */
export const noteRefusal = (
  { id, webhook_id: webhookId }: Delivery,
  outcome: AttemptOutcome
): Effect.Effect<void> => {
  const rule = outcome._tag === "Unanswered" ? outcome.refusal : undefined
  if (rule === undefined) return Effect.void
  return Effect.andThen(
    Effect.logWarning(`delivery ${id} to webhook ${webhookId} was refused: ${rule}`),
    Metric.update(Metric.withAttributes(refusals, { rule }), 1)
  )
}
