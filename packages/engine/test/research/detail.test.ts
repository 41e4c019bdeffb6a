/**
 * Shorter candles in a backtest: they tell whether a stop or a target came first.
 */
import { assert, describe, it } from "@effect/vitest"
import { dayMs, hourMs } from "../../src/kernel/calendar.ts"
import {
  above,
  backtest,
  candles,
  constant,
  fractionOf,
  mul,
  price,
  strategy
} from "../../src/research/index.ts"
import { refusal } from "./refusal.ts"

/** The third day touches both 90 and 110. */
const days = candles([
  [0, 100, 101, 99, 100],
  [dayMs, 100, 101, 99, 100],
  [2 * dayMs, 100, 120, 80, 100],
  [3 * dayMs, 100, 101, 99, 100]
])
/** Inside that day the target is touched first. */
const inside = candles([
  [2 * dayMs, 100, 120, 99, 118],
  [2 * dayMs + hourMs, 118, 118, 80, 100]
])
const rules = strategy({
  symbols: ["BTC/USD"],
  timeframe: "1d",
  long: { enter: above(price.close, mul(price.close, constant(0.5))) },
  exits: { stop_loss: fractionOf(0.1), take_profit: fractionOf(0.1) }
})

describe("detail of a backtest", () => {
  it("decides what a candle leaves open; without it the position is ambiguous", () => {
    const open = backtest(days, rules).positions.at(0)
    assert.strictEqual(open?.exitReason, "stop_loss")
    assert.isTrue(open?.isAmbiguous)
    assert.isAbove(open?.bestPathPnl ?? 0, 0)
    for (const detail of [inside, { "BTC/USD": inside }]) {
      const told = backtest(days, rules, { detail }).positions.at(0)
      assert.strictEqual(told?.exitReason, "take_profit")
      assert.isFalse(told?.isAmbiguous)
      assert.strictEqual(told?.bestPathPnl, told?.pnl)
    }
  })

  describe("of a stop that is raised and passed inside one candle", () => {
    const hours = candles([
      [0, 4990, 5005, 4990, 5001],
      [hourMs, 5000, 5050, 4950, 5000],
      [2 * hourMs, 5000, 5050, 4950, 5000],
      [3 * hourMs, 5000, 5200, 4550, 4850],
      [4 * hourMs, 4850, 4900, 4840, 4860]
    ])
    const trailing = strategy({
      symbols: ["BTC/USD"],
      timeframe: "1h",
      long: { enter: above(price.close, constant(5000)) },
      exits: { trailing_stop: { distance: fractionOf(0.1) } },
      sizing: { type: "fixed_quantity", quantity: 1 }
    })
    const free = { fees: { maker: 0, taker: 0 }, slippage: 0, market: { tick: 0, lot: 0 } }
    const quarterMs = hourMs / 4
    const within = (...rows: ReadonlyArray<readonly [number, number, number, number]>) =>
      candles(rows.map((row, at) => [3 * hourMs + at * quarterMs, ...row] as const))

    it("counts the candle, holds on, and tells what its paths would have given", () => {
      const { ambiguousCount, positions } = backtest(hours, trailing, free)
      const held = positions.at(0)!
      assert.strictEqual(ambiguousCount, 1)
      assert.isTrue(held.isAmbiguous)
      assert.deepStrictEqual([held.exitReason, held.exitPrice], ["end_of_data", 4860])
      assert.deepStrictEqual([held.bestPathPnl, held.pnl, held.worstPathPnl], [-140, -140, -450])
    })

    it("leaves at the raised stop where the high came first", () => {
      const detail = within(
        [5000, 5200, 5000, 5200],
        [5200, 5200, 4550, 4600],
        [4600, 4850, 4600, 4850]
      )
      const { ambiguousCount, positions } = backtest(hours, trailing, { ...free, detail })
      const left = positions.at(0)!
      assert.strictEqual(ambiguousCount, 0)
      assert.deepStrictEqual([left.exitReason, left.exitPrice], ["trailing_stop", 4680])
      assert.strictEqual(left.exitTime, 3 * hourMs)
      assert.closeTo(left.returnRate, -0.064, 1e-12)
      assert.deepStrictEqual([left.isAmbiguous, left.worstPathPnl], [false, left.pnl])
    })

    it("holds on where the low came first", () => {
      const detail = within(
        [5000, 5000, 4550, 4600],
        [4600, 4700, 4600, 4700],
        [4700, 5200, 4700, 5200],
        [5200, 5200, 4850, 4850]
      )
      const { ambiguousCount, positions } = backtest(hours, trailing, { ...free, detail })
      const held = positions.at(0)!
      assert.strictEqual(ambiguousCount, 0)
      assert.deepStrictEqual([held.exitReason, held.isAmbiguous], ["end_of_data", false])
      assert.strictEqual(held.worstPathPnl, held.pnl)
    })
  })

  it("must be shorter candles of the same market", () => {
    const pointer = (detail: never) =>
      refusal(() => backtest(days, rules, { detail })).errors?.[0]?.pointer
    assert.strictEqual(pointer(days as never), "/detail/time")
    assert.strictEqual(pointer({ "ETH/USD": inside } as never), "/detail/BTC/USD")
    assert.strictEqual(pointer([] as never), "/detail")
  })
})
