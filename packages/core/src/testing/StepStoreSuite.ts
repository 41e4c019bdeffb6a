/**
 * The contract of `StepStore`, as tests.
 *
 * It holds a store of steps to the results of the stores that it speaks for.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { toTimestamp } from "@candlewick/engine"
import { dayMs, hourMs } from "@candlewick/engine/kernel"
import { Limits } from "../domain/Limits.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { AlertStore } from "../ports/AlertStore.ts"
import { BotJournal } from "../ports/BotJournal.ts"
import { BotStateStore } from "../ports/BotStateStore.ts"
import { BotStore } from "../ports/BotStore.ts"
import { PaperAccountStore } from "../ports/PaperAccountStore.ts"
import { OrderStore } from "../ports/OrderStore.ts"
import { StepStore, type StepWrite } from "../ports/StepStore.ts"
import { StrategyStore } from "../ports/StrategyStore.ts"
import { Transactor } from "../ports/Transactor.ts"
import { refusalOf, registerSuite, type SuiteOptions } from "./conformance.ts"
import {
  accountRecord,
  alertRecord,
  botRecord,
  botStateRecord,
  orderRecord,
  strategyRecord,
  tradeRecord
} from "./records.ts"
import { testId } from "./testIds.ts"
import { rolledBack } from "./versionedTests.ts"

const time = "2026-01-15T09:00:00.000Z"
const paper = { cash: 0.1 + 0.2, note: "ü ✓ \u0000", stops: [null, -0] }

/** A bot with a state and a paper account. */
const makeBot = Effect.gen(function* () {
  const bot = yield* (yield* BotStore).insert(botRecord())
  const state = yield* (yield* BotStateStore).put(botStateRecord({ bot_id: bot.id }))
  yield* (yield* PaperAccountStore).put(bot.id, paper)
  return { bot, state }
})

const equityOf = (botId: string) =>
  Effect.flatMap(BotJournal, ({ listEquity }) => listEquity(botId, { limit: 10 }))

const readTests = {
  "reads what steps need of each bot, whosever it is": Effect.gen(function* () {
    const { hold } = yield* StepStore
    const [one, other] = [yield* makeBot, yield* makeBot]
    const bare = yield* (yield* BotStore).insert(botRecord())
    const found = yield* hold([other.bot.id, testId("bot"), bare.id, one.bot.id])
    const byId = new Map(found.bots.map((read) => [read.bot.id, read]))
    assert.strictEqual(byId.size, 3)
    for (const { bot, state } of [one, other]) {
      assert.deepStrictEqual(byId.get(bot.id), {
        bot,
        stateVersion: state.version,
        openOrders: [],
        paper
      })
    }
    assert.deepStrictEqual(byId.get(bare.id), { bot: bare, stateVersion: 0, openOrders: [] })
  }),

  "reads the open orders of each bot, oldest first": Effect.gen(function* () {
    const { hold } = yield* StepStore
    const { insert } = yield* OrderStore
    const [one, other] = [yield* makeBot, yield* makeBot]
    const first = yield* insert(
      orderRecord({ bot_id: one.bot.id, reason: "ü \u0000", quantity: 0.1 })
    )
    const second = yield* insert(orderRecord({ bot_id: one.bot.id, limit_price: -0 }))
    yield* insert(orderRecord({ bot_id: one.bot.id, status: "filled" }))
    const found = yield* hold([other.bot.id, one.bot.id])
    const byId = new Map(found.bots.map((read) => [read.bot.id, read.openOrders]))
    assert.deepStrictEqual(byId.get(one.bot.id), [first, second])
    assert.deepStrictEqual(byId.get(other.bot.id), [])
  }),

  "reads the accounts of bots once, and their enabled alerts": Effect.gen(function* () {
    const { hold } = yield* StepStore
    const [alerts, bots] = [yield* AlertStore, yield* BotStore]
    const account = yield* (yield* AccountStore).insert(accountRecord())
    const mine = { account_id: account.id }
    const [one, other] = [yield* bots.insert(botRecord(mine)), yield* bots.insert(botRecord(mine))]
    const on = yield* alerts.insert(alertRecord({ ...mine, bot_id: one.id }))
    yield* alerts.insert(alertRecord({ ...mine, bot_id: other.id, is_enabled: false }))
    yield* alerts.insert(alertRecord({ ...mine, bot_id: testId("bot") }))
    yield* alerts.insert(alertRecord({ account_id: testId("account"), bot_id: one.id }))
    const found = yield* hold([one.id, other.id])
    assert.deepStrictEqual(found.accounts, [account])
    assert.deepStrictEqual(found.alerts, [on])
  }),

  "reads what is there once another transaction leaves a bot": TestClock.withLive(
    Effect.gen(function* () {
      const { hold } = yield* StepStore
      const [bots, states, { transact }] = [
        yield* BotStore,
        yield* BotStateStore,
        yield* Transactor
      ]
      const { bot, state } = yield* makeBot
      const isHeld = yield* Deferred.make<void>()
      const writing = transact(
        Effect.gen(function* () {
          yield* bots.hold(bot.account_id, bot.id)
          yield* Deferred.succeed(isHeld, undefined)
          yield* Effect.yieldNow
          yield* states.put(state)
          // A reader meanwhile waits by now.
          yield* Effect.sleep("50 millis")
        })
      )
      const writer = yield* Effect.forkChild(writing)
      yield* Deferred.await(isHeld)
      const found = yield* transact(hold([bot.id]))
      assert.strictEqual(found.bots[0]!.stateVersion, state.version + 1)
      yield* Fiber.join(writer)
    })
  ),

  "reads what bots are taken up with, and each strategy once": Effect.gen(function* () {
    const { open } = yield* StepStore
    const [bots, states] = [yield* BotStore, yield* BotStateStore]
    const strategy = yield* (yield* StrategyStore).insert(strategyRecord())
    const followed = { strategy_id: strategy.id }
    const [one, other] = [
      yield* bots.insert(botRecord(followed)),
      yield* bots.insert(botRecord(followed))
    ]
    const state = yield* states.put(botStateRecord({ bot_id: one.id }))
    const lost = yield* bots.insert(botRecord({ strategy_id: testId("strategy") }))
    const found = yield* open([other.id, testId("bot"), lost.id, one.id])
    assert.deepStrictEqual(found.strategies, [strategy])
    const byId = new Map(found.bots.map((read) => [read.bot.id, read]))
    assert.strictEqual(byId.size, 3)
    assert.deepStrictEqual(byId.get(one.id), { bot: one, state })
    assert.deepStrictEqual(byId.get(other.id), { bot: other })
    assert.deepStrictEqual(byId.get(lost.id), { bot: lost })
  }),

  "reads nothing where no bot is named": Effect.gen(function* () {
    const { hold, open, write } = yield* StepStore
    assert.deepStrictEqual(yield* hold([]), { bots: [], accounts: [], alerts: [] })
    assert.deepStrictEqual(yield* open([]), { bots: [], strategies: [] })
    yield* write([])
  })
}

const writeTests = {
  "writes the states, the paper accounts and the equity of many bots": Effect.gen(function* () {
    const { write } = yield* StepStore
    const made = yield* Effect.all([makeBot, makeBot, makeBot])
    yield* write(
      made.map(({ bot, state }, index) => ({
        botId: bot.id,
        state: { ...state, cursor: index === 0 ? null : index, snapshot: { index, small: -0 } },
        paper: [index, "\u0000"],
        equity: { time, equity: 1e4 + index / 3 }
      }))
    )
    const [states, papers] = [yield* BotStateStore, yield* PaperAccountStore]
    for (const [index, { bot }] of made.entries()) {
      const kept = { bot_id: bot.id, cursor: index === 0 ? null : index, version: 2 }
      const snapshot = { index, small: -0 }
      assert.deepStrictEqual(yield* states.get(bot.id), Option.some({ ...kept, snapshot }))
      assert.deepStrictEqual(yield* papers.get(bot.id), Option.some([index, "\u0000"]))
      assert.deepStrictEqual(yield* equityOf(bot.id), [{ time, equity: 1e4 + index / 3 }])
    }
  }),

  "leaves what is not named as it is, and replaces a point of the same time": Effect.gen(
    function* () {
      const { write } = yield* StepStore
      const { bot, state } = yield* makeBot
      yield* write([{ botId: bot.id, equity: { time, equity: 1 } }])
      yield* write([{ botId: bot.id, equity: { time, equity: 2 } }])
      yield* write([{ botId: bot.id, paper: 3 }])
      assert.deepStrictEqual(yield* (yield* BotStateStore).get(bot.id), Option.some(state))
      assert.deepStrictEqual(yield* (yield* PaperAccountStore).get(bot.id), Option.some(3))
      assert.deepStrictEqual(yield* equityOf(bot.id), [{ time, equity: 2 }])
    }
  ),

  "thins the equity of each bot in its own range, after its point": Effect.gen(function* () {
    const { write } = yield* StepStore
    const { appendEquity } = yield* BotJournal
    const made = yield* Effect.all([makeBot, makeBot, makeBot])
    const pointAt = (hour: number) => ({ time: toTimestamp(hour * hourMs), equity: hour })
    const hours = [1, 22, 25, 30, 49]
    for (const { bot } of made) {
      for (const hour of hours) yield* appendEquity(bot.id, pointAt(hour))
    }
    const [whole, second, none] = made.map(({ bot }) => bot.id)
    yield* write([
      { botId: whole!, equity: pointAt(50), thinned: { before: 3 * dayMs } },
      { botId: second!, equity: pointAt(50), thinned: { from: dayMs, before: 2 * dayMs } },
      { botId: none!, equity: pointAt(50) }
    ])
    assert.deepStrictEqual(yield* equityOf(whole!), [22, 30, 50].map(pointAt))
    assert.deepStrictEqual(yield* equityOf(second!), [1, 22, 30, 49, 50].map(pointAt))
    assert.deepStrictEqual(yield* equityOf(none!), [...hours, 50].map(pointAt))
  }),

  "writes orders, trades and numbered lines of many bots": Effect.gen(function* () {
    const { write } = yield* StepStore
    const [journal, orders] = [yield* BotJournal, yield* OrderStore]
    const made = yield* Effect.all([makeBot, makeBot])
    const records = yield* Effect.forEach(made, ({ bot }) => {
      const mine = { account_id: bot.account_id, bot_id: bot.id }
      return Effect.map(orders.insert(orderRecord(mine)), (order) => ({
        moved: { ...order, status: "filled", reason: "\u0000", version: 3 } as const,
        added: orderRecord({ ...mine, version: 2 }),
        trades: [tradeRecord(mine), tradeRecord(mine)]
      }))
    })
    const lineOf = (botId: string, message: string) => ({
      bot_id: botId,
      timestamp: time,
      level: "info" as const,
      event: "order.placed",
      message,
      data: { small: -0, text: "\u0000" }
    })
    for (const { bot } of made) yield* journal.append(lineOf(bot.id, "before"))
    yield* write(
      made.map(({ bot }, index) => ({
        botId: bot.id,
        orders: [
          { order: records[index]!.moved, versionBefore: 1 },
          { order: records[index]!.added, versionBefore: 0 }
        ],
        trades: records[index]!.trades,
        lines: [lineOf(bot.id, "one"), lineOf(bot.id, "two")]
      }))
    )
    for (const [index, { bot }] of made.entries()) {
      const { added, moved, trades } = records[index]!
      for (const order of [added, moved]) {
        const kept = yield* orders.get(bot.id, order.client_order_id)
        assert.deepStrictEqual(kept, Option.some(order))
      }
      const open = yield* orders.listOpen(bot.id)
      assert.deepStrictEqual(open, [added])
      const filled = yield* orders.list(bot.account_id, bot.id, { limit: 9, status: "filled" })
      assert.deepStrictEqual(filled.items, [moved])
      const { items } = yield* orders.listTrades(bot.account_id, bot.id, { limit: 9 })
      assert.deepStrictEqual(items, trades.toReversed())
      const lines = yield* journal.list(bot.id, { limit: 9 })
      assert.deepStrictEqual(lines.items, [
        { ...lineOf(bot.id, "two"), seq: 3 },
        { ...lineOf(bot.id, "one"), seq: 2 },
        { ...lineOf(bot.id, "before"), seq: 1 }
      ])
    }
  }),

  "has each line push out the one that is so many below it": Effect.gen(function* () {
    const { write } = yield* StepStore
    const { list } = yield* BotJournal
    const { bot } = yield* makeBot
    const lines = Array.from({ length: Limits.logsPerBotMaxCount + 3 }, (_, index) => ({
      bot_id: bot.id,
      timestamp: time,
      level: "info" as const,
      event: "order.placed",
      message: String(index),
      data: {}
    }))
    yield* write([{ botId: bot.id, lines: lines.slice(0, -5) }])
    yield* write([{ botId: bot.id, lines: lines.slice(-5) }])
    const { items } = yield* list(bot.id, { limit: lines.length, before: "10" })
    assert.deepStrictEqual(
      items.map(({ seq }) => seq),
      [9, 8, 7, 6, 5, 4]
    )
  }),

  "refuses orders and trades that are not as their writer knows them": Effect.gen(function* () {
    const { write } = yield* StepStore
    const orders = yield* OrderStore
    const { bot, state } = yield* makeBot
    const mine = { account_id: bot.account_id, bot_id: bot.id }
    const order = yield* orders.insert(orderRecord(mine))
    const trade = tradeRecord(mine)
    yield* orders.appendTrade(trade)
    const botId = bot.id
    const refusals: ReadonlyArray<readonly [string, StepWrite]> = [
      ["AlreadyExists", { botId, orders: [{ order, versionBefore: 0 }] }],
      [
        "VersionConflict",
        { botId, orders: [{ order: { ...order, version: 4 }, versionBefore: 3 }] }
      ],
      ["AlreadyExists", { botId, trades: [trade] }]
    ]
    for (const [refusal, step] of refusals) {
      const writing = write([{ state, ...step }])
      const found = yield* refusalOf(
        Effect.flatMap(Transactor, ({ transact }) => transact(writing))
      )
      assert.strictEqual(found, refusal)
    }
    assert.deepStrictEqual(yield* (yield* BotStateStore).get(botId), Option.some(state))
    assert.deepStrictEqual(yield* orders.get(botId, order.client_order_id), Option.some(order))
  }),

  "refuses a state whose runner another one has overtaken": Effect.gen(function* () {
    const { write } = yield* StepStore
    const states = yield* BotStateStore
    const [one, late] = [yield* makeBot, yield* makeBot]
    const newer = yield* states.put({ ...late.state, cursor: 5 })
    const writing = write([one, late].map(({ bot, state }) => ({ botId: bot.id, state })))
    const refusal = yield* refusalOf(
      Effect.flatMap(Transactor, ({ transact }) => transact(writing))
    )
    assert.strictEqual(refusal, "VersionConflict")
    assert.deepStrictEqual(yield* states.get(late.bot.id), Option.some(newer))
    assert.deepStrictEqual(yield* states.get(one.bot.id), Option.some(one.state))
  }),

  "writes nothing in a transaction that failed": Effect.gen(function* () {
    const { write } = yield* StepStore
    const { bot, state } = yield* makeBot
    const equity = { time, equity: 1 }
    yield* rolledBack(write([{ botId: bot.id, state, paper: 1, equity }]))
    assert.deepStrictEqual(yield* (yield* BotStateStore).get(bot.id), Option.some(state))
    assert.deepStrictEqual(yield* (yield* PaperAccountStore).get(bot.id), Option.some(paper))
    assert.deepStrictEqual(yield* equityOf(bot.id), [])
  })
}

type Stores =
  | StepStore
  | AccountStore
  | AlertStore
  | BotJournal
  | BotStateStore
  | BotStore
  | OrderStore
  | PaperAccountStore
  | StrategyStore
  | Transactor

/**
 * Registers the contract of `StepStore` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<Stores, E>,
  options?: SuiteOptions
): void => registerSuite<Stores, E>(name, layer, { ...readTests, ...writeTests }, options)
