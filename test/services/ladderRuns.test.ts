/**
 * Positions in parts in the service: a backtest has the trades that the engine's own call has, and
 * a search tries their parameters.
 */
import { Backtests, Optimizations, Strategies, type StrategyDefinition } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { backtest } from "@candlewick/engine/research"
import { accountId, appLayer, keepCandles, symbol, walkCandles } from "./runSetting.ts"

const base = { format: 1, symbols: [symbol], timeframe: "1h" } as const
const close = { type: "price", field: "close" } as const
const always = { type: "above", left: close, right: { type: "constant", value: 0 } } as const

const dca: StrategyDefinition = {
  ...base,
  parameters: { distance: { kind: "float", default: 0.01, min: 0.005, max: 0.03 } },
  long: { enter: always },
  sizing: { type: "fixed_notional", notional: 600 },
  safety_orders: {
    count: 5,
    distance: { parameter: "distance" },
    distance_factor: 1.4,
    size_factor: 1.5
  },
  exits: { take_profit: { type: "fraction", value: 0.01 } }
}

const grid: StrategyDefinition = {
  ...base,
  parameters: {},
  grid: { lower: 80, upper: 120, lines: 20, spacing: "geometric" },
  sizing: { type: "equity_fraction", fraction: 0.9 }
}

const write = (name: string, definition: StrategyDefinition) =>
  Effect.flatMap(Strategies, (strategies) => strategies.write(accountId, { name, definition }))

describe("positions in parts", () => {
  it.effect("are traded by a backtest of the service as by the engine's", () =>
    Effect.gen(function* () {
      const candles = walkCandles(1, 1_000)
      yield* keepCandles(candles)
      const backtests = yield* Backtests
      for (const [name, definition] of [
        ["DCA", dca],
        ["Grid", grid]
      ] as const) {
        const { id } = yield* write(name, definition)
        const begun = yield* backtests.start(accountId, { strategy_id: id })
        const { report, status } = yield* backtests.wait(accountId, begun.id, 60)
        assert.strictEqual(status, "completed")
        const { fills } = backtest(candles, definition)
        assert.isAbove(fills.length, 30)
        const ours = report!.trades.map(({ amount, fee, price }) => [amount, price, fee])
        const wanted = fills.map(({ fee, price, quantity }) => [quantity, price, fee])
        assert.deepStrictEqual(ours, wanted)
      }
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect("are searched", () =>
    Effect.gen(function* () {
      yield* keepCandles(walkCandles(2, 1_500))
      const { id: strategy_id } = yield* write("DCA", dca)
      const optimizations = yield* Optimizations
      const { id } = yield* optimizations.start(accountId, { strategy_id, max_trials: 6, seed: 1 })
      const { report, status } = yield* optimizations.wait(accountId, id, 60)
      assert.strictEqual(status, "completed")
      assert.isNumber(report!.best?.parameters["distance"])
      // How a position grew is told by its fills alone.
      assert.strictEqual(report!.plain_runs![0]!.count, 6)
    }).pipe(Effect.provide(appLayer()))
  )
})
