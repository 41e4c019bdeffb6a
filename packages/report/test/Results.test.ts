/**
 * The figures that pages derive from curves, positions and candles, by hand.
 */
import { bucketCandles } from "@candlewick/report"
import { assert, describe, it } from "@effect/vitest"
import { excursionOf } from "../src/page/excursions.ts"
import { funnelOf } from "../src/page/funnel.ts"
import { rollingSharpe } from "../src/page/rollingSharpe.ts"
import {
  exposureCurve,
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
    assert.deepStrictEqual(exposureCurve(curve, [position]), [0, -0.5, -0.5, 0])
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

  it("draws the candles near fills one by one, and the buckets around them whole", () => {
    const count = 50_000
    const close = Array.from({ length: count }, (_, at) => at + 1)
    const time = close.map((_, at) => at * 60_000)
    const all = { length: count, time, open: close, high: close, low: close, close }
    const made = bucketCandles(all, 20_000, [30_007 * 60_000])
    const from = Array.from(made.time).indexOf(29_987 * 60_000)
    assert.isAbove(from, 0)
    assert.deepStrictEqual(
      Array.from(made.close).slice(from, from + 41),
      close.slice(29_987, 30_028)
    )
    // Each candle is in one bucket, in order.
    const opens = Array.from(made.open)
    assert.deepStrictEqual(
      Array.from(made.close).slice(0, -1),
      opens.slice(1).map((open) => open - 1)
    )
    const many = Array.from({ length: 5_000 }, (_, at) => at * 600_000)
    assert.isAtMost(bucketCandles(all, 20_000, many).length, 20_000)
  })

  it("tells how far prices went while a position was held, and not in its last candle", () => {
    const candles = {
      ...marketOf(100, 104, 100, 101),
      high: [103, 110, 102, 200],
      low: [97, 99, 90, 1]
    }
    const position = {
      direction: "long" as const,
      entry_at: "2024-01-01T00:00:00.000Z",
      entry_price: 100,
      exit_at: "2024-03-01T00:00:00.000Z",
      exit_price: 95
    }
    const held = excursionOf(position, candles)
    assert.closeTo(held.against, -0.05, 1e-12)
    assert.closeTo(held.inFavour, 0.1, 1e-12)
    const short = excursionOf({ ...position, direction: "short" }, candles)
    assert.closeTo(short.against, -0.1, 1e-12)
    assert.closeTo(short.inFavour, 0.05, 1e-12)
  })

  it("gives the Sharpe ratio of the recent points as a year's, and none of a flat stretch", () => {
    const dayMs = 86_400_000
    const curveOf = (count: number, returnAt: (at: number) => number) => {
      let equity = 100
      return Array.from({ length: count }, (_, at) => {
        equity *= at === 0 ? 1 : 1 + returnAt(at)
        return { time: new Date(Date.UTC(2024, 0, 1) + at * dayMs).toISOString(), equity }
      })
    }
    assert.isNull(rollingSharpe(curveOf(40, () => 0.01)))
    const found = rollingSharpe(curveOf(61, (at) => (at <= 25 ? 0 : at % 2 === 0 ? 0.03 : -0.01)))!
    assert.strictEqual(found.windowCount, 20)
    assert.closeTo(found.windowDays, 20, 1e-9)
    assert.deepStrictEqual([found.values[19], found.values[22]], [null, null])
    // Ten times 0.03 and -0.01: mean 0.01, spread 0.02 * sqrt(20 / 19).
    const wanted = (0.01 / (0.02 * Math.sqrt(20 / 19))) * Math.sqrt(365.25)
    assert.closeTo(found.values[60]!, wanted, 1e-9)
  })

  it("counts the trials that each question leaves", () => {
    const trial = (position_count: number, objective: number | null) => ({
      index: 0,
      parameters: {},
      objective,
      position_count,
      is_eligible: objective !== null && position_count >= 5
    })
    const trials = [trial(0, null), trial(3, 2), trial(9, null), trial(9, 0.5), trial(9, 2)]
    const measured = (value: number) => ({ in_sample: { metrics: { sharpe: value } } })
    const report = {
      best: measured(2),
      original: measured(1),
      config: { objective: "sharpe", min_positions: 5 }
    } as unknown as Parameters<typeof funnelOf>[0]
    const counts = (given: typeof report) => funnelOf(given, trials).map(({ count }) => count)
    assert.deepStrictEqual(counts(report), [5, 4, 3, 2, 1, 1])
    const falls = { ...report.config, objective: "max_drawdown" as const, min_positions: 5 }
    const original = { in_sample: { metrics: { max_drawdown: 1 } } } as never
    assert.deepStrictEqual(counts({ ...report, original, config: falls }), [5, 4, 3, 2, 1, 1])
    assert.deepStrictEqual(counts({ ...report, best: null, original: null }), [5, 4, 3, 2, 0])
  })
})
