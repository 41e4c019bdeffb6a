/**
 * Orders of a ladder that are dropped are counted, each of them once.
 */
import { assert, describe, it } from "@effect/vitest"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { backtest } from "../../src/research/backtest.ts"
import { candles } from "../../src/research/candles.ts"
import { sweep } from "../../src/research/sweep.ts"

const close = { type: "price", field: "close" } as const
const constant = (value: number) => ({ type: "constant", value }) as const
const over = (value: number) =>
  ({ type: "crosses_above", left: close, right: constant(value) }) as const
const always = { type: "above", left: close, right: constant(0) } as const
const notional = (value: number) => ({ type: "fixed_notional", notional: value }) as const

const flat = (...prices: ReadonlyArray<number>): CandleColumns =>
  candles(
    prices.map((price, index) => ({
      time: Date.UTC(2024, 0, 1 + index),
      open: price,
      high: price + 1,
      low: price - 1,
      close: price,
      volume: 1000
    }))
  )

type Parts = Omit<StrategyDefinition, "format" | "symbols" | "timeframe" | "parameters">

const run = (columns: CandleColumns, parts: Parts, minNotional = 20) => {
  const definition = {
    format: 1,
    symbols: ["BTC/USD"],
    timeframe: "1d",
    parameters: {},
    ...parts
  } as const
  const options = {
    fees: { maker: 0, taker: 0 },
    slippage: 0,
    market: { tick: 0.01, lot: 1e-5, minNotional }
  } as const
  const result = backtest(columns, definition, options)
  const swept = sweep(columns, definition, [{}], options)
  assert.strictEqual(swept.tooSmallCount[0], result.tooSmallCount)
  return result
}

const counts = ({ misplacedStopCount, tooSmallCount }: ReturnType<typeof run>) => ({
  misplacedStopCount,
  tooSmallCount
})
const none = { misplacedStopCount: 0, tooSmallCount: 0 }

describe("orders of a ladder that are dropped", () => {
  const rising = flat(99, 100, 101, 102, 103, 104)
  const base = { long: { enter: over(99.5) }, sizing: notional(100) } as const

  it("count at each close at which the rule of an addition holds", () => {
    const small = { name: "more", enter: always, times: 3, sizing: notional(10) } as const
    const found = counts(run(rising, { ...base, additions: [small] }))
    // Closes 2 to 5 are those with a position.
    assert.deepStrictEqual(found, { ...none, tooSmallCount: 4 })
    const stop_loss = { type: "level", series: constant(200) } as const
    const misplaced = { name: "more", enter: over(101.5), exits: { stop_loss } } as const
    const parts = { ...base, lots: "by_name", additions: [misplaced] } as const
    assert.deepStrictEqual(counts(run(rising, parts)), { ...none, misplacedStopCount: 1 })
  })

  it("count once in a position where they rest beside its first price", () => {
    const addition = { name: "more", against: 0.05, sizing: notional(10) } as const
    const parts: Parts = { ...base, additions: [addition] }
    assert.deepStrictEqual(counts(run(rising, parts)), { ...none, tooSmallCount: 1 })
    const twice: Parts = { ...parts, exits: { time_limit: 1 } }
    const again = flat(99, 100, 101, 102, 99, 100, 101, 102)
    assert.strictEqual(run(again, twice).positions.length, 2)
    assert.deepStrictEqual(counts(run(again, twice)), { ...none, tooSmallCount: 2 })
  })

  it("count once for each safety order", () => {
    const safety_orders = { count: 3, distance: 0.01, distance_factor: 1, size_factor: 0.1 }
    const found = counts(run(flat(99, 100, 101, 97, 95, 94), { ...base, safety_orders }))
    assert.deepStrictEqual(found, { ...none, tooSmallCount: 2 })
    assert.deepStrictEqual(
      counts(run(flat(99, 100, 101, 97, 95, 94), { ...base, safety_orders }, 0)),
      none
    )
  })

  it("count once for each line of a grid until it is placed", () => {
    const grid = { lower: 90, upper: 110, lines: 5, spacing: "arithmetic" } as const
    const small = { grid, sizing: notional(10) }
    // Lines at 90, 95 and 100 lie below the first close, that at 105 below the last.
    const falling = flat(102, 101, 101, 97, 95, 94)
    assert.deepStrictEqual(counts(run(falling, small)), { ...none, tooSmallCount: 3 })
    assert.deepStrictEqual(counts(run(flat(102, 101, 106), small)), { ...none, tooSmallCount: 4 })
    const stop_loss = { type: "level", series: constant(200) } as const
    const misplaced = { grid, sizing: notional(100), exits: { stop_loss } }
    assert.deepStrictEqual(counts(run(falling, misplaced)), { ...none, misplacedStopCount: 3 })
    // The stop lies above a line, under it while the line rests and is filled, and above it again.
    const moving = {
      type: "level",
      series: { type: "sub", left: close, right: constant(7) }
    } as const
    const lines = { grid: { lower: 80, upper: 100, lines: 2, spacing: "arithmetic" } } as const
    const between = { ...lines, sizing: notional(100), exits: { stop_loss: moving } }
    const turning = flat(88, 90, 86, 80, 79, 70, 88, 90)
    assert.deepStrictEqual(counts(run(turning, between)), { ...none, misplacedStopCount: 2 })
  })

  it("do not count where nothing is too small", () => {
    const grid = { lower: 90, upper: 110, lines: 5, spacing: "arithmetic" } as const
    assert.deepStrictEqual(counts(run(rising, { grid, sizing: notional(100) })), none)
    assert.deepStrictEqual(counts(run(rising, { rebalance: { weight: 0.5, band: 0 } })), none)
  })
})

describe("entries that a strategy takes back", () => {
  it("are not told among the orders that ended, those of no expiry among them", () => {
    const candlesOf = flat(99, 100, 103, 104, 102, 101, 96, 95, 94)
    const under = { type: "crosses_below", left: close, right: constant(102.5) } as const
    const limit = { type: "limit", offset: 0.05 } as const
    const sizing = { type: "fixed_quantity", quantity: 1 } as const
    for (const expires of [{}, { expires_after: 50 }]) {
      const entry = { ...limit, ...expires }
      const long = { enter: over(99.5) }
      const kept = run(candlesOf, { long, entry, sizing })
      assert.strictEqual(kept.fills.length, 2)
      const refuted = run(candlesOf, { long: { ...long, exit: under }, entry, sizing })
      assert.deepStrictEqual([refuted.fills, refuted.ended], [[], []])
      const turned = run(candlesOf, { long, short: { enter: under }, entry, sizing })
      assert.deepStrictEqual([turned.fills, turned.ended], [[], []])
    }
  })
})
