/**
 * What a stretch of candles with one position holds: its range of closes, and the rare ways through
 * it candle by candle. Each leaves its numbers for the functions after it.
 *
 * @since 0.1.0
 */
import { closeAtIndex, extremes, extremesStride, tileStart } from "./market.ts"
import { highestBit, lesser, readDouble } from "./memory.ts"
import type { f64, i32 } from "./number.ts"

let peakAfter: f64 = 0
let deepestAfter: f64 = 0
let sumAfter: f64 = 0
let squaresAfter: f64 = 0

/**
 * Least of the closes of a stretch, or with `negated` 8 the least of their negatives.
 *
 * @inline
 */
export function leastOf(from: i32, to: i32, negated: i32): f64 {
  if (extremes === 0) return walkExtreme(from, to, negated)
  const level: i32 = highestBit(to - from)
  const row: i32 = extremes + level * extremesStride + negated
  const first: i32 = row + ((from - tileStart) << 4)
  const second: i32 = row + ((to - tileStart - (1 << level)) << 4)
  return lesser(readDouble(first), readDouble(second))
}

function walkExtreme(from: i32, to: i32, negated: i32): f64 {
  const sign: f64 = negated === 0 ? 1 : -1
  let least: f64 = sign * closeAtIndex(from)
  for (let index: i32 = from + 1; index < to; index++) {
    least = lesser(least, sign * closeAtIndex(index))
  }
  return least
}

/** Looks for the deepest fall candle by candle, after this peak and this fall. */
export function walkDrawdown(
  from: i32,
  to: i32,
  cash: f64,
  quantity: f64,
  peakBefore: f64,
  deepestBefore: f64
): void {
  let peak: f64 = peakBefore
  let deepest: f64 = deepestBefore
  for (let index: i32 = from; index < to; index++) {
    const equity: f64 = cash + quantity * closeAtIndex(index)
    if (equity > peak) peak = equity
    else if ((peak - equity) / peak > deepest) {
      deepest = (peak - equity) / peak
    }
  }
  peakAfter = peak
  deepestAfter = deepest
}

/** Adds the returns after the first candle, candle by candle. */
export function walkReturns(from: i32, to: i32, cash: f64, quantity: f64): void {
  let before: f64 = cash + quantity * closeAtIndex(from)
  sumAfter = 0
  squaresAfter = 0
  for (let index: i32 = from + 1; index < to; index++) {
    const equity: f64 = cash + quantity * closeAtIndex(index)
    const change: f64 = equity / before - 1
    sumAfter += change
    squaresAfter += change * change
    before = equity
  }
}

/** The peak after the last walk. */
export function walkedPeak(): f64 {
  return peakAfter
}

/** The deepest fall after the last walk. */
export function walkedDeepest(): f64 {
  return deepestAfter
}

/** The sum of the returns of the last walk. */
export function walkedSum(): f64 {
  return sumAfter
}

/** The sum of the squares of the returns of the last walk. */
export function walkedSquares(): f64 {
  return squaresAfter
}
