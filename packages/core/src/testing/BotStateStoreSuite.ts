/**
 * The contract of `BotStateStore`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer, Option } from "effect"
import { BotStateStore } from "../ports/BotStateStore.ts"
import { BotStore } from "../ports/BotStore.ts"
import { Transactor } from "../ports/Transactor.ts"
import {
  refusalOf,
  registerSuite,
  overwrite,
  sideBySide,
  type SuiteOptions
} from "./conformance.ts"
import { botRecord, botStateRecord } from "./records.ts"
import { testId } from "./testIds.ts"
import { rolledBack } from "./versionedTests.ts"

const tests = {
  "has no state of a bot before its first candle": Effect.gen(function* () {
    const states = yield* BotStateStore
    const { insert } = yield* BotStore
    const bot = yield* insert(botRecord())
    assert.deepStrictEqual(yield* states.get(bot.id), Option.none())
  }),

  "writes the state of a bot again and again, a version at a time": Effect.gen(function* () {
    const states = yield* BotStateStore
    const { insert } = yield* BotStore
    const bot = yield* insert(botRecord())
    const state = botStateRecord({ bot_id: bot.id })
    const first = yield* states.put(state)
    assert.deepStrictEqual(first, { ...state, version: 1 })
    const second = yield* states.put({ ...first, cursor: null, snapshot: null })
    assert.strictEqual(second.version, 2)
    assert.deepStrictEqual(yield* states.get(bot.id), Option.some(second))
  }),

  "gives the states of many bots, without those that have none": Effect.gen(function* () {
    const states = yield* BotStateStore
    const { insert } = yield* BotStore
    const bots = [
      yield* insert(botRecord()),
      yield* insert(botRecord()),
      yield* insert(botRecord())
    ]
    const [first, second, none] = bots.map(({ id }) => id)
    const kept = [
      yield* states.put(botStateRecord({ bot_id: first!, cursor: null })),
      yield* states.put(botStateRecord({ bot_id: second!, snapshot: { text: "no \u0000" } }))
    ]
    const found = yield* states.getMany([none!, second!, testId("bot"), first!])
    assert.deepStrictEqual(
      found.toSorted((one, other) => (one.bot_id < other.bot_id ? -1 : 1)),
      kept
    )
    assert.deepStrictEqual(yield* states.getMany([]), [])
  }),

  "leaves a bot's version alone when its state is written": Effect.gen(function* () {
    const states = yield* BotStateStore
    const { get, insert } = yield* BotStore
    const bot = yield* insert(botRecord())
    yield* states.put(botStateRecord({ bot_id: bot.id }))
    assert.deepStrictEqual(yield* get(bot.account_id, bot.id), Option.some(bot))
  }),

  "refuses the state of a runner that another one has overtaken": Effect.gen(function* () {
    const states = yield* BotStateStore
    const { insert } = yield* BotStore
    const bot = yield* insert(botRecord())
    const state = botStateRecord({ bot_id: bot.id })
    assert.strictEqual(yield* refusalOf(states.put({ ...state, version: 1 })), "VersionConflict")
    const first = yield* states.put(state)
    assert.strictEqual(yield* refusalOf(states.put({ ...state, cursor: 1 })), "VersionConflict")
    const second = yield* states.put({ ...first, cursor: 2 })
    assert.strictEqual(yield* refusalOf(states.put({ ...first, cursor: 3 })), "VersionConflict")
    assert.deepStrictEqual(yield* states.get(bot.id), Option.some(second))
  }),

  "lets exactly one of many runners write a state": Effect.gen(function* () {
    const states = yield* BotStateStore
    const { insert } = yield* BotStore
    const bot = yield* insert(botRecord())
    const state = botStateRecord({ bot_id: bot.id })
    for (const version of [0, 1]) {
      const writers = Array.from({ length: 6 }, (_, cursor) =>
        states.put({ ...state, cursor, version })
      )
      const { kept, refusals } = yield* sideBySide(writers)
      assert.lengthOf(kept, 1)
      assert.deepStrictEqual(
        refusals,
        Array.from({ length: 5 }, () => "VersionConflict" as const)
      )
      assert.deepStrictEqual(yield* states.get(bot.id), Option.some(kept[0]!))
    }
  }),

  "keeps the state it was given, whatever runners do to theirs": Effect.gen(function* () {
    const states = yield* BotStateStore
    const { insert } = yield* BotStore
    const bot = yield* insert(botRecord())
    const state = botStateRecord({ bot_id: bot.id })
    const given = structuredClone(state)
    yield* states.put(given)
    overwrite(given)
    overwrite(Option.getOrThrow(yield* states.get(bot.id)))
    assert.deepStrictEqual(yield* states.get(bot.id), Option.some({ ...state, version: 1 }))
  }),

  "keeps no state of a transaction that failed": Effect.gen(function* () {
    const states = yield* BotStateStore
    const { insert } = yield* BotStore
    const bot = yield* insert(botRecord())
    const state = botStateRecord({ bot_id: bot.id })
    yield* rolledBack(states.put(state))
    assert.deepStrictEqual(yield* states.get(bot.id), Option.none())
    const first = yield* states.put(state)
    yield* rolledBack(states.put({ ...first, cursor: 1 }))
    assert.deepStrictEqual(yield* states.get(bot.id), Option.some(first))
  }),

  "holds a state at the version that is named until the transaction ends": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const states = yield* BotStateStore
    const { insert } = yield* BotStore
    const bot = yield* insert(botRecord())
    assert.strictEqual(yield* refusalOf(states.hold(bot.id, 0)), "VersionConflict")
    const first = yield* states.put(botStateRecord({ bot_id: bot.id }))
    assert.strictEqual(yield* refusalOf(states.hold(bot.id, 2)), "VersionConflict")
    const isHeld = yield* Deferred.make<void>()
    const end = yield* Deferred.make<void>()
    const holder = yield* Effect.forkChild(
      transact(
        Effect.gen(function* () {
          yield* states.hold(bot.id, first.version)
          yield* Deferred.succeed(isHeld, undefined)
          yield* Deferred.await(end)
          return Option.getOrThrow(yield* states.get(bot.id)).version
        })
      )
    )
    yield* Deferred.await(isHeld)
    const writer = yield* Effect.forkChild(states.put(first))
    for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
    yield* Deferred.succeed(end, undefined)
    assert.strictEqual(yield* Fiber.join(holder), first.version)
    const second = yield* Fiber.join(writer)
    assert.strictEqual(yield* refusalOf(states.hold(bot.id, first.version)), "VersionConflict")
    yield* states.hold(bot.id, second.version)
  }),

  "removes a bot's state with it": Effect.gen(function* () {
    const states = yield* BotStateStore
    const { insert, remove } = yield* BotStore
    const bot = yield* insert(botRecord())
    const state = yield* states.put(botStateRecord({ bot_id: bot.id }))
    yield* rolledBack(remove(bot.account_id, bot.id))
    assert.deepStrictEqual(yield* states.get(bot.id), Option.some(state))
    yield* remove(bot.account_id, bot.id)
    assert.deepStrictEqual(yield* states.get(bot.id), Option.none())
  })
}

/**
 * Registers the contract of `BotStateStore` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<BotStateStore | BotStore | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
