/** A position that is open counts to no figure of closed positions, however much of it was sold. */
import { assert, describe, it } from "@effect/vitest"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { backtest } from "../../src/research/backtest.ts"
import { randomWalk } from "../../src/testing/randomCandles.ts"

const close = { type: "price", field: "close" } as const
const mean = { type: "sma", period: 20 } as const
const rises = { type: "above", left: close, right: mean } as const
const always = { type: "above", left: close, right: { type: "constant", value: 0 } } as const
const frame = { format: 1, symbols: ["BTC/USD"], timeframe: "1h", parameters: {} } as const
const sizing = { type: "fixed_notional", notional: 1_000 } as const
const reductions = [{ when: rises, portion: 0.01 }] as const
const held = { ...frame, long: { enter: always }, sizing, reductions } as const

const candles = randomWalk("open parts", { count: 400, volatility: 0.01 })

const cases: Record<string, StrategyDefinition> = {
  "a weight": { ...frame, rebalance: { weight: 0.5, band: 0.01 } },
  "reductions of an average": held,
  "reductions of a lot": { ...held, lots: "by_name" }
}

describe("an open position of which parts were sold", () => {
  it.each(Object.entries(cases))("counts once it is closed: %s", (_, definition) => {
    const open = backtest(candles, definition, { endOfData: "open" })
    assert.isAbove(open.fills.filter(({ closed }) => closed !== null).length, 2)
    assert.lengthOf(open.open, 1)
    assert.lengthOf(open.positions, 0)
    assert.strictEqual(open.metrics.trades, 0)
    const closed = backtest(candles, definition, { endOfData: "close" })
    assert.lengthOf(closed.positions, 1)
    assert.strictEqual(closed.metrics.trades, 1)
    const bought = closed.fills.filter(({ leg }) => leg === "entry")
    const quantity = bought.reduce((sum, fill) => sum + fill.quantity, 0)
    assert.approximately(closed.positions.at(0)!.quantity, quantity, 1e-9)
  })
})
