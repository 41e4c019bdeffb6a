/**
 * Shorter candles in a backtest: they tell whether a stop or a target came first.
 */
import { assert, describe, it } from "@effect/vitest"
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

const dayMs = 86_400_000
const hourMs = dayMs / 24

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

  it("must be shorter candles of the same market", () => {
    const pointer = (detail: never) =>
      refusal(() => backtest(days, rules, { detail })).errors?.[0]?.pointer
    assert.strictEqual(pointer(days as never), "/detail/time")
    assert.strictEqual(pointer({ "ETH/USD": inside } as never), "/detail/BTC/USD")
    assert.strictEqual(pointer([] as never), "/detail")
  })
})
