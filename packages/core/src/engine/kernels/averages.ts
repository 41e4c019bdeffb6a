/**
 * Simple averages of the close, many periods at once: sums that all of them share, and the exact
 * column of one where two averages come too near to be told apart by these.
 *
 * @since 0.1.0
 */
import { lesser, readDouble, writeDouble } from "./memory.ts"
import type { f64, i32 } from "./number.ts"

/** Bytes from the end of the tile's sums to the least and the most of its closes. */
export const rangeAfter: i32 = 448

/**
 * Sums of the closes' differences from `origin`, for `before` candles ahead of the tile and its
 * `count`; the one of the tile's first candle is written to `sums`. Candles that the tile does not
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

/**
 * The average at each candle of the tile, as `kernel/rolling.ts` adds it up: anew where the period
 * has come round, by what enters and leaves in between.
 */
export function fillAverage(first: i32, start: i32, count: i32, period: i32, into: i32): void {
  const rounds: i32 = ((start + 1) / period) | 0
  let index: i32 = (rounds > 1 ? rounds : 1) * period - 1
  let sum: f64 = 0
  const divisor: f64 = period
  for (let back: i32 = period - 1; back >= 0; back--) {
    sum += readDouble(first + ((index - back) << 3))
  }
  const end: i32 = start + count
  let sinceAnew: i32 = 0
  while (index < end) {
    if (index >= start) writeDouble(into + ((index - start) << 3), sum / divisor)
    index++
    if (index >= end) return
    sinceAnew++
    if (sinceAnew === period) {
      sinceAnew = 0
      sum = 0
      for (let back: i32 = period - 1; back >= 0; back--) {
        sum += readDouble(first + ((index - back) << 3))
      }
    } else {
      const entering: f64 = readDouble(first + (index << 3))
      sum += entering - readDouble(first + ((index - period) << 3))
    }
  }
}
