/**
 * Forgets runs that were over long ago.
 *
 * @since 0.1.0
 */
import { Clock, Context, Duration, Effect, Layer, Schedule } from "effect"
import { Limits } from "../domain/Limits.ts"
import type { StoreError } from "../domain/StoreError.ts"
import { BacktestStore } from "../ports/BacktestStore.ts"
import { OptimizationStore } from "../ports/OptimizationStore.ts"

/** How long what is over is kept. @category models @since 0.1.0 */
export interface RetentionOptions {
  /** Days after its end for which a run is kept; 90 by default, and 0 for ever. */
  readonly runDays?: number | undefined
}

/**
 * What is forgotten, and when.
 *
 * **Details**
 *
 * Finished backtests and optimizations go, with their reports. Strategies stay, those that a run
 * has found included, and so do bots, orders and trades. Several processes may forget at once.
 *
 * @category services
 * @since 0.1.0
 */
export class Retention extends Context.Service<
  Retention,
  {
    /** Forgets what is due now, and gives how many runs that were. */
    readonly forget: Effect.Effect<number, StoreError>
  }
>()("@candlewick/core/services/Retention") {
  /** Forgets at the start and every hour for as long as the layer lives. */
  static readonly layer = ({ runDays = Limits.runRetentionDays }: RetentionOptions = {}) =>
    Layer.effect(
      Retention,
      Effect.gen(function* () {
        const stores = [yield* BacktestStore, yield* OptimizationStore] as const
        if (runDays === 0) return { forget: Effect.succeed(0) }
        const keptMs = Duration.toMillis(Duration.days(runDays))
        const forget = Effect.gen(function* () {
          const beforeMs = (yield* Clock.currentTimeMillis) - keptMs
          let count = 0
          for (const { removeFinished } of stores) {
            // A statement at a time that nobody has to wait long for.
            let removed = batchCount
            while (removed === batchCount) {
              removed = yield* removeFinished({ beforeMs, limit: batchCount })
              count += removed
            }
          }
          return count
        })
        yield* forget.pipe(
          Effect.catch((error) => Effect.logWarning(`old runs were not removed: ${error.message}`)),
          Effect.repeat(Schedule.spaced("1 hour")),
          Effect.forkScoped
        )
        return { forget }
      })
    )
}

const batchCount = 100
