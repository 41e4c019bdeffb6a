/**
 * Candles with which other engines test theirs, on the simulator that backtests use.
 */
import { assert, describe, it } from "@effect/vitest"
import { type Bar, exitsOf, fraction, runOne } from "./scripted.ts"

const start: Bar = [5000, 5025, 4975, 4987]

describe("published candles", () => {
  it("case 3: two entries are stopped one after the other, and lose 2 % each", () => {
    const simulation = runOne({
      bars: [
        start,
        start,
        [4975, 5000, 4800, 4975],
        [4975, 5000, 4950, 4962],
        [4975, 5000, 4950, 4987],
        [4962, 4987, 4000, 4000],
        [4950, 4975, 4950, 4950]
      ],
      long: [0, 3],
      exits: { stopLoss: fraction(0.02) }
    })
    assert.deepStrictEqual(exitsOf(simulation), [
      [2, 4900, "stop_loss"],
      [5, 4975 * 0.98, "stop_loss"]
    ])
    const lost = simulation.closed.reduce((sum, { entryPrice, pnl }) => sum + pnl / entryPrice, 0)
    assert.closeTo(lost, -0.04, 1e-12)
  })

  it("case 5: a target is reached on a candle that stays above the stop", () => {
    const simulation = runOne({
      bars: [start, start, [4987, 5025, 4975, 4987], [4975, 6000, 4975, 6000]],
      long: [0],
      exits: { stopLoss: fraction(0.01), takeProfit: fraction(0.03) }
    })
    assert.deepStrictEqual(exitsOf(simulation), [[3, 5150, "take_profit"]])
    assert.closeTo(simulation.closed[0]!.pnl / 5000, 0.03, 1e-12)
    assert.strictEqual(simulation.ambiguousCount, 0)
  })

  it("leaves at the open of 99.19 that has passed a stop of 99.5", () => {
    const simulation = runOne({
      bars: [
        [100, 100.5, 99.8, 100],
        [100, 100.5, 99.9, 100.25],
        [99.19, 99.8, 98.9, 99.6]
      ],
      long: [0],
      exits: { stopLoss: { kind: "price", value: 99.5 } }
    })
    assert.deepStrictEqual(exitsOf(simulation), [[2, 99.19, "stop_loss"]])
  })
})
