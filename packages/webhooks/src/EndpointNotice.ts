/**
 * The notices of an endpoint's health to an operator: a log line, a metric and a call of their own.
 *
 * @since 0.1.0
 */
import type { EndpointNotice } from "@candlewick/core"
import { Effect, Metric } from "effect"

/** A function that gets every notice; its errors are logged. @category models @since 0.1.0 */
export type OnEndpointStatus = (notice: EndpointNotice) => void | Promise<void>

const notices = Metric.counter("candlewick_webhook_endpoint_notices_total", {
  description: "Changes of the health of webhook endpoints, by kind"
})

const sentenceOf = ({ kind, reason, warnedPercent, webhookId }: EndpointNotice): string => {
  switch (kind) {
    case "disabled":
      return `webhook ${webhookId} was disabled: ${reason}`
    case "failing":
      return `webhook ${webhookId} is failing`
    case "warning":
      return `webhook ${webhookId} is failing: ${warnedPercent} % of the time until it is disabled`
    case "recovered":
      return `webhook ${webhookId} accepts notifications again`
  }
}

/** Logs and counts a notice and notifies the listeners. @category services @since 0.1.0 */
export const giveNotice = Effect.fnUntraced(function* (
  notice: EndpointNotice,
  listener: OnEndpointStatus | undefined
) {
  const log = notice.kind === "recovered" ? Effect.logInfo : Effect.logWarning
  yield* log(sentenceOf(notice))
  yield* Metric.update(Metric.withAttributes(notices, { kind: notice.kind }), 1)
  if (listener === undefined) return
  yield* Effect.tryPromise(async () => listener(notice)).pipe(
    Effect.catchCause((cause) => Effect.logError("a listener of webhook notices failed", cause))
  )
})
