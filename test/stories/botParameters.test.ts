/**
 * A bot with parameters of its own, and which version of its strategy it trades by.
 */
import { type Bots, type StrategyDefinition, StrategyStore } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { definition as plain, refusal, setTheScene, symbol, world } from "./scene.ts"
import type { Script } from "./scripted.ts"

const script: Script = { [symbol]: [99, 101, 104, 99, 101, 106, 99, 101, 99] }

/** Enters above a level that is a parameter. */
const definition: StrategyDefinition = {
  ...plain,
  parameters: { level: { kind: "float", default: 100, min: 50, max: 150 } },
  long: {
    ...plain.long,
    enter: {
      type: "above",
      left: { type: "price", field: "close" },
      right: { type: "constant", value: { parameter: "level" } }
    }
  }
}

const buysOf = (bots: Bots["Service"], accountId: string, botId: string) =>
  Effect.map(
    bots.trades(accountId, botId, { limit: 100 }),
    ({ items }) => items.filter(({ side }) => side === "buy").length
  )

describe("a bot with parameters", () => {
  it.live("trades by them, beside one that has the defaults", () => {
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches, strategy } = yield* setTheScene(script, { definition })
      const higher = yield* bots.create(accountId, {
        name: "higher",
        strategy_id: strategy.id,
        capital_allocation: 10_000,
        parameters: { level: 102 }
      })
      assert.deepStrictEqual(higher.parameters, { level: 102 })
      assert.isUndefined(bot.parameters)
      yield* bots.command(accountId, bot.id, "start")
      yield* bots.command(accountId, higher.id, "start")
      yield* tellUntil(9)
      yield* reaches(8)
      yield* Effect.repeat(bots.status(accountId, higher.id), {
        until: ({ last_candle_at: at }) => at !== null && Date.parse(at) >= Date.UTC(2024, 0, 1, 8)
      })
      assert.strictEqual(yield* buysOf(bots, accountId, bot.id), 3)
      assert.strictEqual(yield* buysOf(bots, accountId, higher.id), 2)
      const expected = yield* bots.expected(accountId, higher.id)
      assert.strictEqual(expected.difference_count, 0)
    }).pipe(Effect.provide(layer))
  })

  it.live("is refused with a value that the strategy does not take", () => {
    const { layer } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, strategy } = yield* setTheScene(script, { definition })
      const request = { name: "wrong", strategy_id: strategy.id, capital_allocation: 10_000 }
      for (const [parameters, pointer] of [
        [{ level: 500 }, "/parameters/level"],
        [{ levels: 100 }, "/parameters/levels"]
      ] as const) {
        const made = yield* refusal(bots.create(accountId, { ...request, parameters }))
        assert.deepInclude(made.errors?.[0], { pointer })
        const changed = yield* refusal(bots.update(accountId, bot.id, { parameters }))
        assert.deepInclude(changed.errors?.[0], { pointer })
      }
    }).pipe(Effect.provide(layer))
  })
})

describe("the version of a bot's strategy", () => {
  it.live("is pinned when the bot is made, and anew when it starts from its rest", () => {
    const { layer } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, strategy } = yield* setTheScene(script, { definition })
      assert.strictEqual(bot.strategy_version, 1)
      assert.match(bot.definition_hash!, /^[0-9a-f]{64}$/)
      assert.deepInclude(bot.candles![0], { symbol, timeframe: "1h", candle_count: 9 })
      const store = yield* StrategyStore
      const kept = Option.getOrThrow(yield* store.get(accountId, strategy.id))
      yield* store.update({ ...kept, definition: plain })
      const rested = yield* bots.get(accountId, bot.id)
      assert.strictEqual(rested.strategy_version, 1)
      const started = yield* bots.command(accountId, bot.id, "start")
      assert.strictEqual(started.strategy_version, 2)
      assert.notStrictEqual(started.definition_hash, bot.definition_hash)
    }).pipe(Effect.provide(layer))
  })

  it.live("keeps a bot from its start whose value the new rules don't take", () => {
    const { layer } = world(script)
    return Effect.gen(function* () {
      const { accountId, bots, strategy } = yield* setTheScene(script, { definition })
      const bot = yield* bots.create(accountId, {
        name: "higher",
        strategy_id: strategy.id,
        capital_allocation: 10_000,
        parameters: { level: 102 }
      })
      const store = yield* StrategyStore
      const kept = Option.getOrThrow(yield* store.get(accountId, strategy.id))
      yield* store.update({ ...kept, definition: plain })
      const problem = yield* refusal(bots.command(accountId, bot.id, "start"))
      assert.deepInclude(problem.errors?.[0], { pointer: "/parameters/level" })
      const changed = yield* bots.update(accountId, bot.id, { parameters: {} })
      assert.deepStrictEqual(changed.parameters, {})
      assert.strictEqual(changed.strategy_version, 2)
    }).pipe(Effect.provide(layer))
  })
})
