/**
 * What pages derive from curves, positions and candles, by hand.
 */
import { bucketCandles } from "@candlewick/report"
import { assert, describe, it } from "@effect/vitest"
import {
  exposureOf,
  fallsOf,
  histogramOf,
  holdingOf,
  monthReturns,
  worstDrawdowns
} from "../src/page/results.ts"

const pointsOf = (...values: ReadonlyArray<number>) =>
  values.map((equity, at) => ({ time: `2024-0${at + 1}-01T00:00:00.000Z`, equity }))

const marketOf = (...closes: ReadonlyArray<number>) => ({
  length: closes.length,
  time: closes.map((_, at) => Date.UTC(2024, at, 1)),
  open: closes,
  high: closes,
  low: closes,
  close: closes
})

describe("results", () => {
  it("finds drawdowns from high to recovery, the deepest first", () => {
    const curve = pointsOf(100, 90, 100, 110, 55, 66)
    assert.deepStrictEqual(
      fallsOf(curve).map((fall) => Number(fall.toFixed(4))),
      [0, -0.1, 0, 0, -0.5, -0.4]
    )
    const [first, second] = worstDrawdowns(curve, 5)
    assert.deepStrictEqual(
      [first!.from, first!.deepest, first!.until, first!.depth],
      [curve[3]!.time, curve[4]!.time, null, 0.5]
    )
    assert.deepStrictEqual([second!.from, second!.until], [curve[0]!.time, curve[2]!.time])
    assert.deepStrictEqual(worstDrawdowns(pointsOf(1, 2, 3), 5), [])
  })

  it("gives each month its return from the month before", () => {
    const found = monthReturns(pointsOf(100, 110, 99))
    assert.deepStrictEqual(
      found.map(({ month, value }) => [month, Number(value.toFixed(6))]),
      [
        [0, 0],
        [1, 0.1],
        [2, -0.1]
      ]
    )
  })

  it("counts each value in one step, with an edge at zero", () => {
    const values = [-0.1, -0.01, 0, 0.05, 0.2, 0.2]
    const { counts, from, step } = histogramOf(values)
    const sum = (some: ReadonlyArray<number>) => some.reduce((all, count) => all + count, 0)
    assert.strictEqual(sum(counts), values.length)
    const zero = Math.round(-from / step)
    assert.closeTo(from + zero * step, 0, 1e-12)
    assert.strictEqual(sum(counts.slice(0, zero)), 2)
    assert.strictEqual(sum(histogramOf([]).counts), 0)
  })

  it("holds markets in equal parts from the first candle on", () => {
    const curve = pointsOf(1, 1, 1)
    const holding = holdingOf(curve, [marketOf(10, 20, 30), marketOf(5, 5, 10)], 100)
    assert.deepStrictEqual(holding, [100, 150, 250])
    assert.deepStrictEqual(holdingOf(curve, [], 100), [null, null, null])
  })

  it("counts what is held from entry to exit, shorts below zero", () => {
    const curve = pointsOf(100, 100, 100, 100)
    const position = {
      symbol: "BTC/USD",
      direction: "short" as const,
      quantity: 1,
      entry_at: curve[1]!.time,
      entry_price: 50,
      exit_at: curve[3]!.time,
      exit_price: 50,
      pnl: 0,
      return: 0,
      fees: 0,
      exit_reason: "signal" as const,
      is_ambiguous: false
    }
    assert.deepStrictEqual(exposureOf(curve, [position]), [0, -0.5, -0.5, 0])
  })

  it("buckets more than 20 000 candles into at most 4 000 that keep highs and lows", () => {
    const count = 50_001
    const close = Array.from({ length: count }, (_, at) => 100 + Math.sin(at / 700) * 50)
    const high = close.map((value, at) => (at === 33_333 ? 999 : value + 1))
    const low = close.map((value, at) => (at === 44_444 ? 1 : value - 1))
    const time = close.map((_, at) => at * 60_000)
    const all = { length: count, time, open: close, high, low, close }
    const made = bucketCandles(all)
    assert.isAtMost(made.length, 4_000)
    assert.strictEqual(Math.max(...Array.from(made.high)), 999)
    assert.strictEqual(Math.min(...Array.from(made.low)), 1)
    assert.strictEqual(made.open[0], close[0])
    assert.strictEqual(made.close[made.length - 1], close.at(-1))
    const few = { ...all, length: 20_000 }
    assert.strictEqual(bucketCandles(few), few)
  })
})
