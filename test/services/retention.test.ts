/**
 * Runs that were over long ago are forgotten, deleted bots where that is asked for, and nothing else
 * is.
 */
import {
  BacktestStore,
  BotArchive,
  BotJournal,
  OptimizationStore,
  OrderStore,
  Retention,
  type RetentionOptions
} from "@candlewick/core"
import {
  archivedBotRecord,
  backtestRecord,
  logEntryRecord,
  optimizationRecord,
  orderRecord,
  tradeRecord
} from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"

const at = (day: number) => new Date(day * 86_400_000).toISOString()
const over = (day: number) => ({ status: "completed", finished_at: at(day) }) as const

const on = (runDays?: number, options: RetentionOptions = {}) =>
  Retention.layer({ runDays, ...options }).pipe(Layer.provideMerge(MemoryStore.layer))

const countKept = Effect.fnUntraced(function* (
  runs: ReadonlyArray<{ readonly id: string; readonly account_id: string }>
) {
  const { get } = yield* BacktestStore
  const found = yield* Effect.forEach(runs, (run) => get(run.account_id, run.id))
  return found.filter(Option.isSome).length
})

/** A deleted bot with one record of each of its books. */
const archived = Effect.fnUntraced(function* (day: number) {
  const archive = yield* BotArchive
  const orders = yield* OrderStore
  const journal = yield* BotJournal
  const bot = archivedBotRecord({ archived_at: at(day) })
  const ofBot = { account_id: bot.account_id, bot_id: bot.id }
  yield* archive.insert(bot, null)
  yield* orders.insert(orderRecord(ofBot))
  yield* orders.appendTrade(tradeRecord(ofBot))
  yield* journal.append(logEntryRecord({ bot_id: bot.id }))
  yield* journal.appendEquity(bot.id, { time: at(day), equity: 1 })
  return bot
})

/** How many records of a deleted bot there are, its own among them. */
const countBooks = Effect.fnUntraced(function* ({
  account_id: accountId,
  id
}: Effect.Success<ReturnType<typeof archived>>) {
  const archive = yield* BotArchive
  const orders = yield* OrderStore
  const journal = yield* BotJournal
  const page = { limit: 9 }
  const lists = [
    Option.toArray(yield* archive.get(accountId, id)),
    (yield* orders.list(accountId, id, page)).items,
    (yield* orders.listTrades(accountId, id, page)).items,
    (yield* journal.list(id, page)).items,
    yield* journal.listEquity(id, page)
  ]
  return lists.reduce((count, items) => count + items.length, 0)
})

describe("retention", () => {
  it.effect("forgets deleted bots with their books after the days that are asked for", () =>
    Effect.gen(function* () {
      const { forget } = yield* Retention
      yield* TestClock.setTime(100 * 86_400_000)
      const old = yield* archived(89)
      const young = yield* archived(91)
      yield* Effect.replicateEffect(archived(1), 120)
      assert.strictEqual(yield* forget, 121)
      assert.strictEqual(yield* countBooks(old), 0)
      assert.strictEqual(yield* countBooks(young), 5)
    }).pipe(Effect.provide(on(0, { archivedBotDays: 10 })))
  )

  it.effect("keeps deleted bots for ever where nothing else is asked for", () =>
    Effect.gen(function* () {
      const { forget } = yield* Retention
      const bot = yield* archived(0)
      yield* TestClock.setTime(10_000 * 86_400_000)
      assert.strictEqual(yield* forget, 0)
      assert.strictEqual(yield* countBooks(bot), 5)
    }).pipe(Effect.provide(on(0)))
  )

  it.effect("forgets runs that were over before the days that are asked for, many at a time", () =>
    Effect.gen(function* () {
      const { forget } = yield* Retention
      const { insert } = yield* BacktestStore
      const optimizations = yield* OptimizationStore
      yield* TestClock.setTime(100 * 86_400_000)
      const old = yield* Effect.replicateEffect(
        Effect.suspend(() => insert(backtestRecord(over(89)))),
        250
      )
      const kept = [
        yield* insert(backtestRecord(over(91))),
        yield* insert(backtestRecord({ status: "running" }))
      ]
      yield* optimizations.insert(optimizationRecord(over(1)))
      assert.strictEqual(yield* forget, 251)
      assert.strictEqual(yield* countKept(old), 0)
      assert.strictEqual(yield* countKept(kept), 2)
      assert.strictEqual(yield* forget, 0)
    }).pipe(Effect.provide(on(10)))
  )

  it.effect("forgets by itself as time goes by", () =>
    Effect.gen(function* () {
      const { insert } = yield* BacktestStore
      yield* TestClock.setTime(0)
      const run = yield* insert(backtestRecord(over(0)))
      yield* TestClock.adjust("89 days")
      assert.strictEqual(yield* countKept([run]), 1)
      yield* TestClock.adjust("2 days")
      assert.strictEqual(yield* countKept([run]), 0)
    }).pipe(Effect.provide(on()))
  )

  it.effect("forgets nothing where runs are kept for ever", () =>
    Effect.gen(function* () {
      const { forget } = yield* Retention
      const { insert } = yield* BacktestStore
      const run = yield* insert(backtestRecord(over(0)))
      yield* TestClock.setTime(1_000 * 86_400_000)
      assert.strictEqual(yield* forget, 0)
      assert.strictEqual(yield* countKept([run]), 1)
    }).pipe(Effect.provide(on(0)))
  )
})
