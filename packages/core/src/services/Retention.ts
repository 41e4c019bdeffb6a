/**
 * Forgets runs that were over long ago, and bots that were deleted long ago.
 *
 * Finished backtests and optimizations go, with their reports. Strategies, bots, orders and trades
 * stay. A deleted bot goes with its books once its time is over; by default it stays.
 *
 * @since 0.1.0
 */
import { Clock, Context, Duration, Effect, Layer, Schedule } from "effect"
import type { ArchivedBot } from "../domain/ArchivedBot.ts"
import { Limits } from "../domain/Limits.ts"
import type { StoreError } from "../domain/StoreError.ts"
import { BacktestStore } from "../ports/BacktestStore.ts"
import { BotArchive } from "../ports/BotArchive.ts"
import { BotJournal } from "../ports/BotJournal.ts"
import { OptimizationStore } from "../ports/OptimizationStore.ts"
import { OrderStore } from "../ports/OrderStore.ts"
import { Transactor } from "../ports/Transactor.ts"

/** The times for which finished records are kept. @category models @since 0.1.0 */
export interface RetentionOptions {
  /** Days after its end for which a run is kept; 90 by default, and 0 for ever. */
  readonly runDays?: number | undefined
  /** Days after its deletion for which a bot's books are kept; 0, the default, is for ever. */
  readonly archivedBotDays?: number | undefined
}

/**
 * The records that are forgotten, and the time.
 *
 * **Details**
 *
 * Finished backtests and optimizations go, with their reports. Strategies, bots, orders and trades
 * stay, and so do strategies that a run has found. Where the time of deleted bots is limited, such
 * a bot goes with its orders, trades, log, equity and facts. Several processes may forget at once.
 *
 * @category services
 * @since 0.1.0
 */
export class Retention extends Context.Service<
  Retention,
  {
    /** Removes the runs and deleted bots that are due now, and returns their number. */
    readonly forget: Effect.Effect<number, StoreError>
  }
>()("@candlewick/core/services/Retention") {
  /** Forgets at the start and every hour for as long as the layer lives. */
  static readonly layer = ({
    archivedBotDays = Limits.archivedBotRetentionDays,
    runDays = Limits.runRetentionDays
  }: RetentionOptions = {}) =>
    Layer.effect(
      Retention,
      Effect.gen(function* () {
        const runs = yield* forgetRuns
        const bots = yield* forgetBots
        const forget = Effect.gen(function* () {
          const nowMs = yield* Clock.currentTimeMillis
          const before = (days: number) => nowMs - Duration.toMillis(Duration.days(days))
          const runCount = runDays === 0 ? 0 : yield* runs(before(runDays))
          const botCount = archivedBotDays === 0 ? 0 : yield* bots(before(archivedBotDays))
          return runCount + botCount
        })
        if (runDays === 0 && archivedBotDays === 0) return { forget }
        yield* forget.pipe(
          Effect.catch((error) =>
            Effect.logWarning(`old records were not removed: ${error.message}`)
          ),
          Effect.repeat(Schedule.spaced("1 hour")),
          Effect.forkScoped
        )
        return { forget }
      })
    )
}

/** The most records that one statement removes or lists, so that other work waits briefly. */
const batchCount = 100

/** Removes finished runs. */
const forgetRuns = Effect.gen(function* () {
  const stores = [yield* BacktestStore, yield* OptimizationStore] as const
  return Effect.fnUntraced(function* (beforeMs: number) {
    let count = 0
    for (const { removeFinished } of stores) {
      let removed = batchCount
      while (removed === batchCount) {
        removed = yield* removeFinished({ beforeMs, limit: batchCount })
        count += removed
      }
    }
    return count
  })
})

/** Removes deleted bots with their books, each in a transaction of its own. */
const forgetBots = Effect.gen(function* () {
  const [archive, journal, orders] = [yield* BotArchive, yield* BotJournal, yield* OrderStore]
  const { transact } = yield* Transactor
  const forgetBot = ({ account_id: accountId, id }: Pick<ArchivedBot, "id" | "account_id">) =>
    transact(
      Effect.gen(function* () {
        yield* archive.remove(accountId, id)
        yield* orders.removeOfBot(id)
        yield* journal.removeOfBot(id)
        return 1
      })
    ).pipe(
      // Another process has forgotten it meanwhile.
      Effect.catchReason("StoreError", "NotFound", () => Effect.succeed(0))
    )
  return Effect.fnUntraced(function* (beforeMs: number) {
    let count = 0
    let due: ReadonlyArray<Pick<ArchivedBot, "id" | "account_id">>
    do {
      due = yield* archive.listBefore({ beforeMs, limit: batchCount })
      for (const bot of due) count += yield* forgetBot(bot)
    } while (due.length === batchCount)
    return count
  })
})
