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
import { AccountStore } from "../ports/AccountStore.ts"
import { AlertStore } from "../ports/AlertStore.ts"
import { BotJournal } from "../ports/BotJournal.ts"
import { BotStateStore } from "../ports/BotStateStore.ts"
import { BotStore } from "../ports/BotStore.ts"
import { PaperAccountStore } from "../ports/PaperAccountStore.ts"
import { StepStore } from "../ports/StepStore.ts"
import { StrategyStore } from "../ports/StrategyStore.ts"
import { Transactor } from "../ports/Transactor.ts"
import { refusalOf, registerSuite, type SuiteOptions } from "./conformance.ts"
import { accountRecord, alertRecord, botRecord, botStateRecord, strategyRecord } from "./records.ts"
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
      assert.deepStrictEqual(byId.get(bot.id), { bot, stateVersion: state.version, paper })
    }
    assert.deepStrictEqual(byId.get(bare.id), { bot: bare, stateVersion: 0 })
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
