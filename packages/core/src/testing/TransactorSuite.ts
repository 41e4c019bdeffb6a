/**
 * What every `Transactor` owes its callers, over every store that comes with it.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, type Layer, Option } from "effect"
import type { Account } from "../domain/Account.ts"
import type { Bot } from "../domain/Bot.ts"
import { marketOf } from "../domain/Market.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { AlertStore } from "../ports/AlertStore.ts"
import { BacktestStore } from "../ports/BacktestStore.ts"
import { BotJournal } from "../ports/BotJournal.ts"
import { BotStore } from "../ports/BotStore.ts"
import { CandleStore } from "../ports/CandleStore.ts"
import { IdempotencyStore } from "../ports/IdempotencyStore.ts"
import { OptimizationStore } from "../ports/OptimizationStore.ts"
import { OrderStore } from "../ports/OrderStore.ts"
import { Outbox } from "../ports/Outbox.ts"
import { PaperAccountStore } from "../ports/PaperAccountStore.ts"
import type { StorePorts } from "../ports/StorePorts.ts"
import { StrategyStore } from "../ports/StrategyStore.ts"
import { Transactor } from "../ports/Transactor.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { registerSuite, seenMeanwhile, type SuiteOptions } from "./conformance.ts"
import { randomWalk } from "./randomCandles.ts"
import {
  accountRecord,
  alertRecord,
  backtestRecord,
  botRecord,
  botStateRecord,
  deliveryRecord,
  endpointRecord,
  eventRecord,
  keyRecord,
  logEntryRecord,
  optimizationRecord,
  orderRecord,
  seriesRecord,
  strategyRecord,
  tradeRecord
} from "./records.ts"
import { testId, testName, testSymbol } from "./testIds.ts"

const insert = (bot: Bot) => Effect.flatMap(BotStore, (store) => store.insert(bot))
const isKept = (bot: Bot) =>
  Effect.flatMap(BotStore, ({ get }) => Effect.map(get(bot.account_id, bot.id), Option.isSome))

const newRecords = () => {
  const account = accountRecord()
  const owner = { account_id: account.id }
  const bot = botRecord(owner)
  const ofBot = { ...owner, bot_id: bot.id }
  return {
    account,
    bot,
    key: keyRecord(owner),
    alert: alertRecord(owner),
    strategy: strategyRecord(owner),
    backtest: backtestRecord(owner),
    optimization: optimizationRecord(owner),
    order: orderRecord(ofBot),
    trade: tradeRecord(ofBot),
    series: seriesRecord(),
    market: marketOf(testSymbol()),
    endpoint: endpointRecord({ ...owner, status: "disabled" }),
    event: eventRecord(owner),
    claim: { scope: account.id, key: testName(), fingerprint: "a", nowMs: 0, expiresAtMs: 1 }
  }
}

type Records = ReturnType<typeof newRecords>

/** One write to every table. */
const writeAll = Effect.fnUntraced(function* (records: Records) {
  const { account, bot, endpoint } = records
  yield* Effect.flatMap(AccountStore, (store) =>
    Effect.all([store.insert(account), store.insertKey(records.key)])
  )
  yield* Effect.flatMap(AlertStore, (store) => store.insert(records.alert))
  yield* Effect.flatMap(StrategyStore, (store) => store.insert(records.strategy))
  yield* Effect.flatMap(BacktestStore, (store) => store.insert(records.backtest))
  yield* Effect.flatMap(OptimizationStore, (store) => store.insert(records.optimization))
  yield* Effect.flatMap(BotStore, (store) =>
    Effect.all([store.insert(bot), store.putState(botStateRecord({ bot_id: bot.id }))])
  )
  yield* Effect.flatMap(BotJournal, (store) =>
    Effect.all([
      store.append(logEntryRecord({ bot_id: bot.id })),
      store.appendEquity(bot.id, { time: "2026-01-15T09:00:00.000Z", equity: 1 })
    ])
  )
  yield* Effect.flatMap(OrderStore, (store) =>
    Effect.all([store.insert(records.order), store.appendTrade(records.trade)])
  )
  yield* Effect.flatMap(CandleStore, (store) =>
    Effect.all([
      store.put(records.series, randomWalk(1, { count: 3 })),
      store.putMarket(records.market)
    ])
  )
  yield* Effect.flatMap(PaperAccountStore, (store) => store.put(bot.id, { cash: 1 }))
  yield* Effect.flatMap(IdempotencyStore, (store) => store.claim(records.claim))
  yield* Effect.flatMap(Outbox, (store) => store.append(records.event))
  yield* Effect.flatMap(WebhookStore, (store) =>
    Effect.all([
      store.insert(endpoint),
      store.insertDelivery(deliveryRecord(endpoint, { status: "skipped" }))
    ])
  )
})

/** How much there is of what `writeAll` wrote, by table. */
const countAll = Effect.fnUntraced(function* ({ account, bot, ...records }: Records) {
  const page = { limit: 9 }
  const accounts = yield* AccountStore
  const candles = yield* CandleStore
  const bots = yield* BotStore
  const journal = yield* BotJournal
  const orders = yield* OrderStore
  const webhooks = yield* WebhookStore
  const one = Option.toArray
  const waiting = yield* (yield* Outbox).peek(10_000)
  return {
    accounts: one(yield* accounts.get(account.id)).length,
    keys: (yield* accounts.listKeys(account.id, page)).items.length,
    alerts: (yield* (yield* AlertStore).list(account.id, page)).items.length,
    strategies: (yield* (yield* StrategyStore).list(account.id, page)).items.length,
    backtests: (yield* (yield* BacktestStore).list(account.id, page)).items.length,
    optimizations: (yield* (yield* OptimizationStore).list(account.id, page)).items.length,
    bots: (yield* bots.list(account.id, page)).items.length,
    botStates: one(yield* bots.getState(bot.id)).length,
    logEntries: (yield* journal.list(bot.id, page)).items.length,
    equityPoints: (yield* journal.listEquity(bot.id)).length,
    orders: (yield* orders.list(account.id, bot.id, page)).items.length,
    trades: (yield* orders.listTrades(account.id, bot.id, page)).items.length,
    series: one(yield* candles.load(records.series)).length,
    markets: one(yield* candles.getMarket(records.market.symbol)).length,
    paperAccounts: one(yield* (yield* PaperAccountStore).get(bot.id)).length,
    endpoints: (yield* webhooks.list(account.id, page)).items.length,
    deliveries: (yield* webhooks.listDeliveries(records.endpoint.id, page)).items.length,
    events: waiting.filter(({ id }) => id === records.event.id).length
  }
})

const outcomeTests = {
  "gives what the effect gives, and keeps what it wrote": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const bots = [botRecord(), botRecord()]
    const result = yield* transact(Effect.as(Effect.forEach(bots, insert), "done"))
    assert.strictEqual(result, "done")
    for (const bot of bots) assert.isTrue(yield* isKept(bot))
  }),

  "writes to every table together": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const records = newRecords()
    yield* transact(writeAll(records))
    const counts = yield* countAll(records)
    assert.deepStrictEqual(new Set(Object.values(counts)), new Set([1]))
    const claimed = yield* (yield* IdempotencyStore).claim(records.claim)
    assert.deepStrictEqual(claimed, { state: "in_progress" })
    yield* (yield* Outbox).acknowledge(records.event.id)
  }),

  "undoes every table when the effect fails, and fails as it did": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const records = newRecords()
    const exit = yield* Effect.exit(
      transact(
        Effect.gen(function* () {
          yield* writeAll(records)
          const inside = yield* countAll(records)
          assert.deepStrictEqual(new Set(Object.values(inside)), new Set([1]))
          return yield* Effect.fail({ reason: "changed my mind" })
        })
      )
    )
    assert.deepStrictEqual(exit, Exit.fail({ reason: "changed my mind" }))
    const counts = yield* countAll(records)
    assert.deepStrictEqual(new Set(Object.values(counts)), new Set([0]))
    const claimed = yield* (yield* IdempotencyStore).claim(records.claim)
    assert.deepStrictEqual(claimed, { state: "claimed" })
  }),

  "undoes what was written when the effect dies, and dies as it did": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const bot = botRecord()
    const defect = new Error("a fault of the program")
    const exit = yield* Effect.exit(transact(Effect.andThen(insert(bot), Effect.die(defect))))
    assert.deepStrictEqual(exit, Exit.die(defect))
    assert.isFalse(yield* isKept(bot))
  }),

  "undoes what was written when the effect is interrupted": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const [bot, next] = [botRecord(), botRecord()]
    const written = yield* Deferred.make<void>()
    const fiber = yield* Effect.forkChild(
      transact(
        insert(bot).pipe(
          Effect.andThen(Deferred.succeed(written, undefined)),
          Effect.andThen(Effect.never)
        )
      )
    )
    yield* Deferred.await(written)
    yield* Fiber.interrupt(fiber)
    const exit = yield* Fiber.await(fiber)
    assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
    assert.isFalse(yield* isKept(bot))
    yield* transact(insert(next))
    assert.isTrue(yield* isKept(next))
  })
}

const nestedTests = {
  "joins a transaction inside another, which decides over both": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const [outer, inner] = [botRecord(), botRecord()]
    const both = Effect.gen(function* () {
      yield* insert(outer)
      yield* transact(
        Effect.gen(function* () {
          assert.isTrue(yield* isKept(outer))
          yield* insert(inner)
        })
      )
      assert.isTrue(yield* isKept(inner))
    })
    yield* Effect.exit(transact(Effect.andThen(both, Effect.fail("outer"))))
    assert.deepStrictEqual([yield* isKept(outer), yield* isKept(inner)], [false, false])
    yield* transact(both)
    assert.deepStrictEqual([yield* isKept(outer), yield* isKept(inner)], [true, true])
  }),

  "undoes only its own writes when an inner transaction fails": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const { update } = yield* AccountStore
    const account = yield* Effect.flatMap(AccountStore, (store) => store.insert(accountRecord()))
    const [before, inner, deepest, after] = [botRecord(), botRecord(), botRecord(), botRecord()]
    const failing = Effect.gen(function* () {
      yield* insert(inner)
      yield* transact(insert(deepest))
      yield* update({ ...account, name: "Lost" })
      return yield* Effect.fail("inner" as const)
    })
    yield* transact(
      Effect.gen(function* () {
        yield* insert(before)
        assert.strictEqual(yield* Effect.flip(transact(failing)), "inner")
        assert.deepStrictEqual([yield* isKept(inner), yield* isKept(deepest)], [false, false])
        yield* update({ ...account, name: "Kept" })
        yield* insert(after)
      })
    )
    const kept = yield* Effect.forEach([before, inner, deepest, after], isKept)
    assert.deepStrictEqual(kept, [true, false, false, true])
    const stored = yield* Effect.flatMap(AccountStore, ({ get }) => get(account.id))
    assert.strictEqual(Option.getOrThrow(stored).name, "Kept")
  }),

  "undoes an inner transaction that dies": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const [outer, inner] = [botRecord(), botRecord()]
    yield* transact(
      Effect.gen(function* () {
        yield* insert(outer)
        yield* Effect.exit(transact(Effect.andThen(insert(inner), Effect.die("fault"))))
      })
    )
    assert.deepStrictEqual([yield* isKept(outer), yield* isKept(inner)], [true, false])
  })
}

/** A transaction that has written a bot and waits to be told how to end. */
const openTransaction = Effect.gen(function* () {
  const { transact } = yield* Transactor
  const bot = botRecord()
  const written = yield* Deferred.make<void>()
  const end = yield* Deferred.make<void, "undo">()
  const fiber = yield* Effect.forkChild(
    transact(
      insert(bot).pipe(
        Effect.andThen(Deferred.succeed(written, undefined)),
        Effect.andThen(Deferred.await(end))
      )
    )
  )
  yield* Deferred.await(written)
  return { bot, end, fiber }
})

const concurrencyTests = {
  "hides what an open transaction wrote from everyone outside": Effect.gen(function* () {
    const { bot, end, fiber } = yield* openTransaction
    const { list } = yield* BotStore
    const look = Effect.all([isKept(bot), list(bot.account_id, { limit: 9 })])
    const [isSeen, { items }] = Option.getOrElse(
      yield* seenMeanwhile(look),
      () => [false, { items: [] }] as const
    )
    assert.isFalse(isSeen)
    assert.lengthOf(items, 0)
    yield* Deferred.succeed(end, undefined)
    yield* Fiber.join(fiber)
    assert.isTrue(yield* isKept(bot))
  }),

  "keeps a write outside when a transaction at the same time is undone": Effect.gen(function* () {
    const { bot, end, fiber } = yield* openTransaction
    const outside = botRecord()
    const writer = yield* Effect.forkChild(insert(outside))
    yield* Effect.yieldNow
    yield* Deferred.fail(end, "undo")
    yield* Fiber.await(fiber)
    yield* Fiber.join(writer)
    assert.deepStrictEqual([yield* isKept(bot), yield* isKept(outside)], [false, true])
  }),

  "loses no update when transactions change one record at once": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const { get, insert, update } = yield* AccountStore
    const account = yield* insert({ ...accountRecord(), name: "+" })
    const change = (stored: Account) => update({ ...stored, name: `${stored.name}+` })
    const append = transact(
      Effect.gen(function* () {
        const stored = Option.getOrThrow(yield* get(account.id))
        yield* Effect.yieldNow
        yield* change(stored)
      })
    ).pipe(
      Effect.retry({
        while: (error) => error._tag === "StoreError" && error.reason._tag === "VersionConflict"
      })
    )
    yield* Effect.all(
      Array.from({ length: 10 }, () => append),
      { concurrency: "unbounded" }
    )
    const stored = Option.getOrThrow(yield* get(account.id))
    assert.deepStrictEqual([stored.name.length, stored.version], [11, 11])
  }),

  "keeps what succeeded of many transactions at once, and nothing else": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const bots = Array.from({ length: 20 }, () => botRecord({ account_id: testId("account") }))
    yield* Effect.forEach(
      bots,
      (bot, index) =>
        Effect.exit(
          transact(
            insert(bot).pipe(
              Effect.andThen(Effect.yieldNow),
              Effect.andThen(index % 3 === 0 ? Effect.fail("undo") : Effect.void)
            )
          )
        ),
      { concurrency: "unbounded" }
    )
    const kept = yield* Effect.forEach(bots, isKept)
    assert.deepStrictEqual(
      kept,
      bots.map((_, index) => index % 3 !== 0)
    )
  })
}

const tests = { ...outcomeTests, ...nestedTests, ...concurrencyTests }

/**
 * Registers the contract of `Transactor` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<StorePorts, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
