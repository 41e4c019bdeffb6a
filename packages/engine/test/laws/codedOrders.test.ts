/**
 * Laws of code that places orders of every kind. Its account adds up, and is never held both ways.
 * A sweep, steps candle by candle and shorter candles afterwards change nothing.
 */
import { assert, describe, it } from "@effect/vitest"
import { atLeast, draws } from "../../../../test/draws.ts"
import { apart, averaged } from "../../../../test/services/hostOrders.ts"
import { sliceColumns } from "../../src/kernel/columns.ts"
import { noRiskLimits } from "../../src/kernel/riskGate.ts"
import { simulate } from "../../src/kernel/simulate.ts"
import { makeMarketStep, toMarketRules } from "../../src/plan/codeSignals.ts"
import { backtest, sweep } from "../../src/research/index.ts"
import { candleAt, drawCandles } from "./drawnCandles.ts"
import { openMarket } from "./simulated.ts"

const symbol = "ABC/USD"

describe("code that places orders", () => {
  it("has an account that adds up, and positions on one side", () => {
    let compared = 0
    for (const { number, random } of draws("orders add up", 100)) {
      const strategy = random.pick([apart, averaged])
      const columns = drawCandles(random, "1h", 300)
      const capital = 10_000
      const result = backtest(columns, strategy, {
        capital,
        fill: random.pick(["next_open", "close"] as const),
        endOfData: random.pick(["close", "open"] as const),
        market: { lot: 0.01, canShort: random.next() < 0.8, leverage: random.pick([1, 3]) }
      })
      const told = `run ${number}`
      let held = 0
      let cash = capital
      for (const { effect, fee, leg, price, quantity, side } of result.fills) {
        const isEntry = leg === "entry"
        if (isEntry) assert.isAtLeast(held * side, -1e-9, told)
        else assert.isBelow(held * side, 0, told)
        held += side * quantity
        cash -= side * quantity * price + fee
        if (effect === "close") assert.closeTo(held, 0, 1e-6, told)
      }
      const last = columns.close.at(-1)!
      assert.closeTo(result.equity.at(-1)!, cash + held * last, 1e-6 * capital, told)
      compared += result.fills.length
    }
    assert.isAbove(compared, atLeast(3_000), "so few fills prove little")
  })

  it("decides candle by candle, in a sweep, and on fewer candles what it decides on all", () => {
    let compared = 0
    for (const { number, random } of draws("orders step", 40)) {
      const { definition, rules: code } = random.pick([apart, averaged])
      const columns = drawCandles(random, "1h", 240)
      const byName = new Map([[definition.code!, code]])
      const { plan, rules } = toMarketRules(definition, {}, columns, symbol, byName)
      const step = makeMarketStep(definition, {}, symbol, byName)
      const common = {
        plan,
        capital: 10_000,
        limits: noRiskLimits,
        fill: "next_open",
        endOfData: "open"
      } as const
      const whole = simulate({ ...common, markets: [{ columns, spec: openMarket, ...rules }] })
      const stepped = simulate({
        ...common,
        markets: [
          {
            columns,
            spec: openMarket,
            ladder: rules.ladder,
            decide: (index, book, view) => step.next(candleAt(columns, index), book, view)
          }
        ]
      })
      const told = `run ${number}`
      assert.deepStrictEqual(stepped.fills, whole.fills, told)
      assert.deepStrictEqual(stepped.equity, whole.equity, told)
      const [all, part] = [columns, sliceColumns(columns, 0, 150)].map((some) =>
        backtest(some, { definition, rules: code }, { endOfData: "open" })
      )
      const early = all!.fills.filter(({ index }) => index < 150)
      assert.deepStrictEqual(part!.fills, early, told)
      const swept = sweep(columns, { definition, rules: code }, [{}])
      const { metrics } = backtest(columns, { definition, rules: code })
      assert.strictEqual(swept.totalReturn[0], metrics["total_return"], told)
      compared += whole.fills.length
    }
    assert.isAbove(compared, atLeast(1_000), "so few fills prove little")
  })
})
