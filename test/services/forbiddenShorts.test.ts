/**
 * Shorts that a market does not allow are named wherever a strategy would enter them: in reports,
 * in results of a search, and in a bot's log.
 */
import {
  Backtests,
  Bots,
  Candles,
  Markets,
  operatorAccountId,
  layerCodeStrategies,
  Optimizations,
  Strategies,
  type StrategyDefinition
} from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { setTheScene, symbol as sceneSymbol, definition, world } from "../stories/scene.ts"
import { bothWays } from "./hostCode.ts"
import {
  accountId,
  appLayer,
  definition as dips,
  keepCandles,
  symbol,
  walkCandles,
  writeStrategy
} from "./runSetting.ts"
import { refusal } from "./setting.ts"

const host = appLayer().pipe(
  Layer.provide(layerCodeStrategies(new URL("./hostCode.ts", import.meta.url)))
)

const average = { type: "sma", period: { parameter: "period" } } as const
const close = { type: "price", field: "close" } as const

/** Sells what is above its average; the strategy that it changes buys what is below. */
const shorts: Partial<StrategyDefinition> = {
  short: {
    enter: { type: "above", left: close, right: average },
    exit: { type: "below", left: close, right: average }
  }
}

const backtested = Effect.fnUntraced(function* (strategyId: string) {
  const backtests = yield* Backtests
  const { id } = yield* backtests.start(accountId, { strategy_id: strategyId })
  return (yield* backtests.wait(accountId, id, 60)).report!
})

const optimized = Effect.fnUntraced(function* (strategyId: string) {
  const optimizations = yield* Optimizations
  const request = { strategy_id: strategyId, max_trials: 4, seed: 1 } as const
  const { id } = yield* optimizations.start(accountId, request)
  return (yield* optimizations.wait(accountId, id, 60)).report!
})

/** From now on the market allows shorts. */
const allowShorts = Effect.gen(function* () {
  const markets = yield* Markets
  yield* markets.update(operatorAccountId, symbol, { can_short: true })
})

const named = /^Shorts are not allowed on ABC\/USD: /u
const told = (warnings: ReadonlyArray<string>) => warnings.filter((text) => named.test(text))
const counted = /^Shorts are not allowed on ABC\/USD: [1-9]\d* short entries were not ordered\.$/u

describe("shorts on a market that allows none", () => {
  it.effect("are counted in a backtest beside longs, and refused where nothing else is left", () =>
    Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 1_000))
      const both = yield* writeStrategy(shorts)
      const { long: _long, ...rest } = { ...dips, ...shorts }
      const strategies = yield* Strategies
      const only = yield* strategies.write(accountId, { name: "Shorts", definition: rest })
      const held = yield* backtested(both.id)
      assert.isTrue(held.positions.every(({ direction }) => direction === "long"))
      assert.match(held.warnings[0]!, counted)
      const backtests = yield* Backtests
      const optimizations = yield* Optimizations
      for (const asked of [
        Effect.asVoid(backtests.start(accountId, { strategy_id: only.id })),
        Effect.asVoid(optimizations.start(accountId, { strategy_id: only.id }))
      ]) {
        const refused = yield* refusal(asked)
        assert.strictEqual(refused.code, "unprocessable")
        assert.deepInclude(refused.errors![0], {
          pointer: "/strategy_id",
          code: "shorts_forbidden"
        })
      }
      yield* allowShorts
      assert.isTrue((yield* backtested(only.id)).positions.length > 0)
      const { positions, warnings } = yield* backtested(both.id)
      assert.isTrue(positions.some(({ direction }) => direction === "short"))
      assert.deepStrictEqual(told(warnings), [])
    }).pipe(Effect.provide(host))
  )

  it.effect("are counted in a backtest of code, which only then tells that it enters short", () =>
    Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 1_000))
      const strategies = yield* Strategies
      const { definition } = bothWays
      const { id } = yield* strategies.write(accountId, { name: "In code", definition })
      assert.match((yield* backtested(id)).warnings[0]!, counted)
      assert.deepStrictEqual(told((yield* optimized(id)).warnings), [])
    }).pipe(Effect.provide(host))
  )

  it.effect("are named by an optimisation, and where nothing enters short they are not", () =>
    Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 1_000))
      const both = yield* writeStrategy(shorts)
      assert.deepStrictEqual(told((yield* optimized(both.id)).warnings), [
        "Shorts are not allowed on ABC/USD: the strategy's short entries are not ordered."
      ])
      const { id } = yield* writeStrategy()
      assert.deepStrictEqual(told((yield* optimized(id)).warnings), [])
      assert.deepStrictEqual(told((yield* backtested(id)).warnings), [])
      yield* allowShorts
      assert.deepStrictEqual(told((yield* optimized(both.id)).warnings), [])
    }).pipe(Effect.provide(host))
  )

  it.effect("are named by a generation, which searches none", () =>
    Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 1_500))
      const strategies = yield* Strategies
      const generated = Effect.gen(function* () {
        const { id } = yield* strategies.generate(accountId, {
          objective: "sharpe",
          risk_tolerance: "medium",
          timeframe: "1h",
          symbols: [symbol],
          max_candidates: 12
        })
        return yield* strategies.wait(accountId, id, 120)
      })
      assert.deepStrictEqual(told((yield* generated).warnings), [
        "Shorts are not allowed on ABC/USD: only long strategies were searched."
      ])
      yield* allowShorts
      assert.deepStrictEqual(told((yield* generated).warnings), [])
    }).pipe(Effect.provide(host))
  )

  it.live("are named in the log of a bot, when it is made and when it changes", () => {
    const script = { [sceneSymbol]: [99, 101], "OTH/USD": [99, 101] }
    return Effect.gen(function* () {
      const {
        accountId: owner,
        bot,
        bots
      } = yield* setTheScene(script, {
        definition: { ...definition, short: definition.long! }
      })
      const warnings = Effect.map(
        bots.logs(owner, bot.id, { limit: 10, level: "warn" }),
        ({ items }) => items.map(({ event, message }) => `${event}: ${message}`)
      )
      const one = (name: string) =>
        `shorts.forbidden: Shorts are not allowed on ${name}: the strategy's short entries are not ordered.`
      assert.deepStrictEqual(yield* warnings, [one(sceneSymbol)])
      yield* bots.update(owner, bot.id, { symbols: ["OTH/USD"] })
      assert.deepStrictEqual(yield* warnings, [one("OTH/USD"), one(sceneSymbol)])
      yield* (yield* Candles).import(operatorAccountId, {
        key: { symbol: "OTH/USD", timeframe: "1h" },
        columns: walkCandles(1, 2),
        market: { can_short: true }
      })
      yield* (yield* Bots).update(owner, bot.id, { capital_allocation: 5_000 })
      assert.lengthOf(yield* warnings, 2)
    }).pipe(Effect.provide(world(script).layer))
  })
})
