/**
 * The state of the process, as `/metrics` shows it: its event loop, memory and processor.
 *
 * @since 0.1.0
 */
import { Effect, Layer, Metric } from "effect"
import { monitorEventLoopDelay, performance } from "node:perf_hooks"

const lookEveryMs = 15_000
const resolutionMs = 10
const nanosPerSecond = 1e9

const delay = Metric.gauge("candlewick_event_loop_delay_seconds", {
  description: "Seconds by which timers of the last 15 s came late, at this quantile"
})
const utilization = Metric.gauge("candlewick_event_loop_utilization", {
  description: "Share of the last 15 s in which the event loop worked"
})
const memory = Metric.gauge("process_resident_memory_bytes", {
  description: "Memory of the process"
})
const processor = Metric.gauge("process_cpu_seconds_total", {
  description: "Processor time that the process has used"
})

const quantiles = [0.5, 0.99, 1] as const
const delays = quantiles.map((quantile) => ({
  quantile,
  gauge: Metric.withAttributes(delay, { quantile: String(quantile) })
}))

/** Looks at the process for ever, at the expense of a timer. @category layers @since 0.1.0 */
export const processMetrics: Layer.Layer<never> = Layer.effectDiscard(
  Effect.gen(function* () {
    const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
    histogram.enable()
    yield* Effect.addFinalizer(() => Effect.sync(() => void histogram.disable()))
    let before = performance.eventLoopUtilization()
    const look = Effect.gen(function* () {
      for (const { gauge, quantile } of delays) {
        // The histogram has how far apart its timers were, and nothing before the first.
        const nanos = histogram.count === 0 ? 0 : histogram.percentile(quantile * 100)
        const lateS = Math.max(0, nanos / nanosPerSecond - resolutionMs / 1_000)
        yield* Metric.update(gauge, lateS)
      }
      histogram.reset()
      const now = performance.eventLoopUtilization()
      yield* Metric.update(utilization, performance.eventLoopUtilization(now, before).utilization)
      before = now
      const { system, user } = process.cpuUsage()
      yield* Metric.update(processor, (system + user) / 1e6)
      yield* Metric.update(memory, process.memoryUsage.rss())
    })
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, Effect.sleep(lookEveryMs))))
  })
)
