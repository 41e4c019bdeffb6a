/**
 * Whether deliveries are looked for: a loop that has stopped says so by saying nothing, while
 * callers go on being answered.
 *
 * @since 0.1.0
 */
import { type DeliveryQueue, type Problem, problem } from "@candlewick/core"
import { Clock, Context, Effect, Layer, Metric, Option } from "effect"

// The loop goes round every five seconds at least. It waits for no receiver, and for the store
// less long than this.
const silenceMaxMs = 60_000
const lookEveryMs = 15_000

/**
 * For how long the oldest delivery that is due has been so. It also grows where an endpoint takes
 * less than it is owed, so that it is for people to read.
 */
const lag = Metric.gauge("candlewick_webhook_lag_seconds", {
  description: "Seconds for which the oldest delivery that is due waits"
})

const queued = Metric.gauge("candlewick_webhooks_queued", {
  description: "Deliveries that wait or are under way, of all accounts and processes"
})

/** Looks at the lag for ever. @category combinators @since 0.1.0 */
export const watchLag = (queue: DeliveryQueue["Service"]): Effect.Effect<never> =>
  Effect.gen(function* () {
    const dueInMs = Option.getOrElse(yield* queue.nextDueInMs, () => 0)
    yield* Metric.update(lag, Math.max(0, -dueInMs) / 1000)
    yield* Metric.update(queued, yield* queue.countOpen)
  }).pipe(
    Effect.catchCause((cause) => Effect.logDebug("the lag of deliveries was not seen", cause)),
    Effect.andThen(Effect.sleep(lookEveryMs)),
    Effect.forever
  )

/**
 * Whether the loop that sends goes round.
 *
 * @category services
 * @since 0.1.0
 */
export class DispatcherHealth extends Context.Service<
  DispatcherHealth,
  {
    /** Fails where the loop was not heard of for a minute, in words for everyone. */
    readonly check: Effect.Effect<void, Problem>
    /** Says that the loop has gone round. */
    readonly beat: Effect.Effect<void>
  }
>()("@candlewick/webhooks/DispatcherHealth") {
  /** As if a loop had just gone round. */
  static readonly layer: Layer.Layer<DispatcherHealth> = Layer.effect(
    DispatcherHealth,
    Effect.gen(function* () {
      let lastMs = yield* Clock.currentTimeMillis
      return {
        check: Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
          nowMs - lastMs <= silenceMaxMs
            ? Effect.void
            : Effect.fail(
                problem(
                  "unavailable",
                  `deliveries were not looked for for ${Math.round((nowMs - lastMs) / 1000)} s`
                )
              )
        ),
        beat: Effect.map(Clock.currentTimeMillis, (nowMs) => {
          lastMs = nowMs
        })
      }
    })
  )
}
