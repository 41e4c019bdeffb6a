/**
 * Simple averages of the close, many periods at once: sums that all of them share, and the exact
 * column of one where two averages come too near to be told apart by these.
 *
 * @since 0.1.0
 */
import { readDouble, writeDouble } from "./memory.ts"
import type { f64, i32 } from "./number.ts"

/**
 * Sums of the closes' differences from `origin`, for `before` candles ahead of the tile and its
 * `count`; the one of the tile's first candle is written to `sums`. Candles that the tile does not
 * have are at the origin.
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
  writeDouble(sums - ((before + 1) << 3), 0)
  for (let offset: i32 = -before; offset < whole; offset++) {
    if (offset < count) sum += readDouble(close + (offset << 3)) - origin
    writeDouble(sums + (offset << 3), sum)
  }
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
