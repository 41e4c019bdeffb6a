/**
 * The number, the statuses and the durations of answered requests, by route.
 *
 * @since 0.1.0
 */
import { Context, Layer, Metric } from "effect"
import type { RequestFacts } from "./CurrentRequest.ts"

const requests = Metric.counter("candlewick_http_requests_total", {
  description: "Requests answered",
  incremental: true
})

const durations = Metric.histogram("candlewick_http_request_duration_seconds", {
  description: "Seconds from a request to its answer",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
})

interface Series {
  readonly count: Metric.Metric<number, unknown>
  readonly duration: Metric.Metric<number, unknown>
}

/** Metrics of the HTTP server. @category services @since 0.1.0 */
export class HttpMetrics extends Context.Service<
  HttpMetrics,
  {
    /** Counts a request that was answered. */
    readonly measure: (
      facts: RequestFacts,
      status: number,
      nowMs: number,
      context: Context.Context<never>
    ) => void
  }
>()("@candlewick/http/server/HttpMetrics") {
  /** Metrics in the registry of the running program. */
  static readonly layer: Layer.Layer<HttpMetrics> = Layer.sync(HttpMetrics, () => {
    const known = new Map<string, Series>()
    const seriesOf = (method: string, route: string, status: number): Series => {
      const name = `${method} ${route} ${status}`
      let series = known.get(name)
      if (series === undefined) {
        series = {
          count: Metric.withAttributes(requests, { method, route, status: String(status) }),
          duration: Metric.withAttributes(durations, { method, route })
        }
        known.set(name, series)
      }
      return series
    }
    return {
      measure: (facts, status, nowMs, context) => {
        // An unknown path must not become a series of its own.
        const series = seriesOf(
          facts.route === undefined ? "*" : facts.method,
          facts.route ?? "unknown",
          status
        )
        series.count.updateUnsafe(1, context)
        series.duration.updateUnsafe((nowMs - facts.startedAtMs) / 1000, context)
      }
    }
  })
}
