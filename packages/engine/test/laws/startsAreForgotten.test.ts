/**
 * Where a series begins stops to matter: after some windows an indicator has the values that it
 * would have had, had its candles begun later.
 *
 * A window is the longest period of the row. Series over windows alone, and exponentially smoothed
 * ones, forget within 20 windows; series smoothed as Wilder did forget within 40. Rows whose memory
 * is not a matter of windows have laws of their own below.
 */
import { assert, describe, it } from "@effect/vitest"
import { type IndicatorName, indicatorNames } from "../../src/language/Indicator.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import { sliceColumns } from "../../src/kernel/columns.ts"
import { makeRandom, type Random } from "../../src/kernel/random.ts"
import { randomCandles } from "../../src/testing/randomCandles.ts"
import { drawCandles } from "./drawnCandles.ts"
import { forgottenAfter, ownLaws } from "./forgetting.ts"
import { drawRun, type IndicatorRun, outputsOf } from "./indicatorRuns.ts"
import { atLeast, drawCount, drawSeed } from "../../../../test/draws.ts"

/**
 * Averages of moves divided by averages of their sizes: while nothing moves, both fade and the
 * quotient stays, however long that lasts. So their windows are counted in candles that move.
 */
const quotients = new Set<IndicatorName>(["rsi", "stoch_rsi", "tsi", "adx"])

/** The candle up to which the close has moved so many times since `from`. */
const afterMoves = ({ close }: CandleColumns, from: number, count: number): number => {
  let at = from + 1
  for (let moves = 0; moves < count && at < close.length; at += 1) {
    if (close[at] !== close[at - 1]) moves += 1
  }
  return at
}

interface Pair {
  readonly run: IndicatorRun
  readonly where: string
  readonly candles: CandleColumns
  readonly cut: number
  /** Values of the series that begins earlier, from the cut on. */
  readonly whole: ReadonlyArray<Float64Array>
  /** Values of the series that begins at the cut. */
  readonly later: ReadonlyArray<Float64Array>
  /** First candle after the cut that has been through enough windows. */
  readonly from: number
}

const drawHard = (random: Random, seed: string, count: number): CandleColumns =>
  random.next() < 0.5
    ? drawCandles(random, random.pick(["15m", "1h"] as const), count)
    : randomCandles(seed, { count })

const drawPair = (name: IndicatorName, number: number): Pair => {
  const seed = drawSeed(`forgotten ${name}`, number)
  const random = makeRandom(seed)
  const run = drawRun(name, random, random.pick([3, 8, 14]))
  const forgetting = forgottenAfter(name, run.settings)
  const cut = random.integer(1, 150)
  // Candles with gaps are fewer than what was asked for.
  const candles = drawHard(random, seed, Math.ceil((cut + forgetting + 300) * 1.3))
  const from = quotients.has(name) ? afterMoves(candles, cut, forgetting) - cut : forgetting
  const whole = outputsOf(run, candles).map((output) => output.subarray(cut))
  const later = outputsOf(run, sliceColumns(candles, cut))
  return { run, where: `${run.where}, run ${number}`, candles, cut, whole, later, from }
}

const largest = (values: Float64Array): number =>
  values.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0)

/**
 * Compares from a candle on, to 1e-9 of the value where it is in units of price. Other values are
 * compared to 1e-9 of the largest, because a value that swings about nought has no size of its own.
 * Returns how much was compared.
 */
const assertForgotten = ({ run, where, whole, later }: Pair, from: number): number => {
  let count = 0
  Object.entries(run.row.outputs).forEach(([name, unit], nth) => {
    const wanted = whole[nth]!
    const seen = later[nth]!
    const most = largest(wanted)
    for (let at = from; at < wanted.length; at += 1) {
      const value = wanted[at]!
      const place = `${where}, ${name} at ${at}`
      if (Number.isNaN(value)) {
        assert.isNaN(seen[at], place)
        continue
      }
      const size = unit === "price" || unit === "source" ? Math.abs(value) : most
      assert.isAtMost(Math.abs(seen[at]! - value), 1e-9 * size, place)
      count += 1
    }
  })
  return count
}

const numbers = Array.from({ length: drawCount(40) }, (_, number) => number)

describe("starts are forgotten", () => {
  const windowed = indicatorNames.filter((name) => ownLaws[name] === undefined)

  it.each(windowed)("has the same values of %s after enough windows", (name) => {
    let compared = 0
    for (const number of numbers) {
      const pair = drawPair(name, number)
      compared += assertForgotten(pair, pair.from)
    }
    assert.isAbove(compared, atLeast(5_000))
  })

  it("has the same changes of obv from the first candle on", () => {
    for (const number of numbers) {
      const { where, whole, later } = drawPair("obv", number)
      const [balance = new Float64Array(0)] = whole
      const [counted = new Float64Array(0)] = later
      const size = largest(balance)
      for (let at = 1; at < counted.length; at += 1) {
        const change = balance[at]! - balance[0]!
        assert.closeTo(counted[at]! - counted[0]!, change, 1e-9 * size, `${where} at ${at}`)
      }
    }
  })

  it("has the same vwap, to the bit, from the next UTC day on", () => {
    let compared = 0
    for (const number of numbers) {
      const { where, candles, cut, whole, later } = drawPair("vwap", number)
      const days = candles.time.subarray(cut).map((time) => Math.floor(time / 86_400_000))
      const from = days.findIndex((day) => day !== days[0])
      if (from === -1) continue
      assert.deepStrictEqual(later[0]?.slice(from), whole[0]?.slice(from), where)
      compared += 1
    }
    assert.isAbove(compared, atLeast(20))
  })

  it("has the same supertrend once both have turned up and down together", () => {
    let compared = 0
    for (const number of numbers) {
      const pair = drawPair("supertrend", number)
      const [whole, later] = [pair.whole[1]!, pair.later[1]!]
      // A band starts anew on the candle after the close has crossed it.
      const turn = (to: 1 | -1): number =>
        whole.findIndex(
          (direction, at) =>
            at > pair.from &&
            [direction, later[at]].every((now) => now === to) &&
            [whole[at - 1], later[at - 1]].every((before) => before === -to)
        )
      const [up, down] = [turn(1), turn(-1)]
      if (up === -1 || down === -1) continue
      compared += assertForgotten(pair, Math.max(up, down) + 1)
    }
    assert.isAbove(compared, atLeast(5_000))
  })

  it("has the same sar, to the bit, after two turns that both took together", () => {
    let compared = 0
    for (const number of numbers) {
      const { where, candles, cut, whole, later } = drawPair("sar", number)
      const [stop = new Float64Array(0)] = whole
      const [other = new Float64Array(0)] = later
      const sides = (stops: Float64Array) =>
        stops.map((value, at) => Math.sign(candles.close[cut + at]! - value))
      const [mine, theirs] = [sides(stop), sides(other)]
      let shared = 0
      let from = -1
      for (let at = 1; at < mine.length && from === -1; at += 1) {
        const turned = mine[at] !== mine[at - 1]
        const otherTurned = theirs[at] !== theirs[at - 1]
        // A stop at the close doesn't say which way it goes.
        const isClear = mine[at] !== 0 && mine[at] === theirs[at]
        if (!isClear) shared = 0
        else if (turned && otherTurned) shared += 1
        else if (turned || otherTurned) shared = 0
        if (shared === 2) from = at
      }
      if (from === -1) continue
      assert.deepStrictEqual(other.slice(from + 1), stop.slice(from + 1), where)
      compared += stop.length - from
    }
    assert.isAbove(compared, atLeast(5_000))
  })
})
