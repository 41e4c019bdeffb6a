/**
 * Simple averages of the close, many periods at once.
 *
 * All of them share sums. Where two averages come too near to be told apart by these, an exact
 * column is computed.
 *
 * @since 0.1.0
 */
import { lesser } from "../../match/arithmetic.ts"
import { readDouble, readWord, writeDouble } from "./memory.ts"
import type { f64, i32 } from "../../match/number.ts"

/** Bytes from the end of the tile's sums to the least and the most of its closes. */
export const rangeAfter: i32 = 448

/**
 * Sums of the closes' differences from `origin`, for `before` candles ahead of the tile and its
 * `count`. The sum of the tile's first candle is written to `sums`. Candles that the tile does not
 * have are at the origin. The least and the most of the closes come `rangeAfter` after the sums.
 */
export function sumCloses(
  close: i32,
  before: i32,
  count: i32,
  whole: i32,
  origin: f64,
  sums: i32
): void {
  let sum: f64 = 0
  let least: f64 = Infinity
  let negated: f64 = Infinity
  writeDouble(sums - ((before + 1) << 3), 0)
  for (let offset: i32 = -before; offset < count; offset++) {
    const price: f64 = readDouble(close + (offset << 3))
    least = lesser(least, price)
    negated = lesser(negated, -price)
    sum += price - origin
    writeDouble(sums + (offset << 3), sum)
  }
  for (let offset: i32 = count; offset < whole; offset++) writeDouble(sums + (offset << 3), sum)
  const range: i32 = sums + (whole << 3) + rangeAfter
  writeDouble(range, least)
  writeDouble(range + 8, -negated)
}

/** Bytes from the scale that makes closes whole numbers (`kernel/wholes.ts`) to exact averages. */
export const scaleBefore: i32 = 56

/** Bytes from the candle at which doubles are summed in their place to exact averages. */
export const wholeEndBefore: i32 = 48

/** 2^52 + 2^51: a number that is added to it is rounded to a whole one. */
const wholeShift: f64 = 6755399441055744.0

/** The sum of `period` closes up to a candle. */
function sumUpTo(first: i32, index: i32, period: i32): f64 {
  let sum: f64 = 0
  for (let back: i32 = period - 1; back >= 0; back--) {
    sum += readDouble(first + ((index - back) << 3))
  }
  return sum
}

/** The averages of whole numbers from a candle on. */
function fillWhole(first: i32, from: i32, end: i32, period: i32, scale: f64, into: i32): void {
  const divisor: f64 = period
  let sum: f64 = 0
  for (let back: i32 = period - 1; back >= 0; back--) {
    const price: f64 = readDouble(first + ((from - back) << 3))
    sum += price * scale + wholeShift - wholeShift
  }
  writeDouble(into, sum / (divisor * scale))
  for (let index: i32 = from + 1; index < end; index++) {
    const entering: f64 = readDouble(first + (index << 3))
    const change: f64 = entering - readDouble(first + ((index - period) << 3))
    sum += change * scale + wholeShift - wholeShift
    writeDouble(into + ((index - from) << 3), sum / (divisor * scale))
  }
}

/**
 * Returns the average at each candle of the tile with the additions of `kernel/rolling.ts`. It is
 * exact, or anew where the period has come round, and by the difference in between.
 */
export function fillAverage(first: i32, start: i32, count: i32, period: i32, into: i32): void {
  const end: i32 = start + count
  const wholeEnd: i32 = readWord(into - wholeEndBefore)
  const full: i32 = start > period - 1 ? start : period - 1
  const wholeUntil: i32 = wholeEnd < end ? wholeEnd : end
  if (full < wholeUntil) {
    const scale: f64 = readDouble(into - scaleBefore)
    fillWhole(first, full, wholeUntil, period, scale, into + ((full - start) << 3))
  }
  if (wholeEnd >= end) return
  const rounds: i32 = ((start + 1) / period) | 0
  const round: i32 = (rounds > 1 ? rounds : 1) * period - 1
  let index: i32 = round > wholeEnd ? round : wholeEnd
  const divisor: f64 = period
  // Where the first sum begins late, the period comes round all the same.
  let sinceAnew: i32 = (index - period + 1) % period
  let sum: f64 = sumUpTo(first, index, period)
  while (index < end) {
    if (index >= start) writeDouble(into + ((index - start) << 3), sum / divisor)
    index++
    if (index >= end) return
    sinceAnew++
    if (sinceAnew === period) {
      sinceAnew = 0
      sum = sumUpTo(first, index, period)
    } else {
      const entering: f64 = readDouble(first + (index << 3))
      sum += entering - readDouble(first + ((index - period) << 3))
    }
  }
}
