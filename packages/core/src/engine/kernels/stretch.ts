/**
 * What a stretch of candles with one position holds: its range of closes, and the rare ways through
 * it candle by candle. Each leaves its numbers for the functions after it.
 *
 * @since 0.1.0
 */
import { dayAt, dayEquityAt, squaresAt, sumAt } from "./layout.ts"
import { closeAtIndex, dayEndOf, extremes, extremesStride, tileStart } from "./market.ts"
import { highestBit, lesser, readDouble, readWord } from "./memory.ts"
import { writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"

/** What the last range was. */
export let least: f64 = 0
export let most: f64 = 0

let peakAfter: f64 = 0
let deepestAfter: f64 = 0
let sumAfter: f64 = 0
let squaresAfter: f64 = 0

/**
 * Finds the least and the most of the closes of a stretch.
 *
 * @inline
 */
export function findRange(from: i32, to: i32): void {
  if (extremes === 0) {
    walkRange(from, to)
    return
  }
  const level: i32 = highestBit(to - from)
  const row: i32 = extremes + level * extremesStride
  const first: i32 = row + ((from - tileStart) << 4)
  const second: i32 = row + ((to - tileStart - (1 << level)) << 4)
  least = lesser(readDouble(first), readDouble(second))
  most = -lesser(readDouble(first + 8), readDouble(second + 8))
}

function walkRange(from: i32, to: i32): void {
  let lowest: f64 = closeAtIndex(from)
  let negated: f64 = -lowest
  for (let index: i32 = from + 1; index < to; index++) {
    lowest = lesser(lowest, closeAtIndex(index))
    negated = lesser(negated, -closeAtIndex(index))
  }
  least = lowest
  most = -negated
}

/** A return, or no number where it rounds to the loss of everything: no returns come after that. */
export function lastingReturn(change: f64): f64 {
  return change > -1 ? change : NaN
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
    sumAfter += lastingReturn(change)
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

/**
 * The deepest fall so far, with that from a peak to a trough.
 *
 * @inline
 */
export function deeper(deepest: f64, peak: f64, trough: f64): f64 {
  return -lesser(-deepest, -((peak - trough) / peak))
}

/**
 * Counts the days that end before a candle: their returns are added up in the account. The end of
 * the next day comes back.
 */
export function countDays(account: i32, to: i32, cash: f64, quantity: f64): i32 {
  let day: i32 = readWord(account + dayAt)
  let dayEquity: f64 = readDouble(account + dayEquityAt)
  let sum: f64 = readDouble(account + sumAt)
  let squares: f64 = readDouble(account + squaresAt)
  let dayEnd: i32 = dayEndOf(day)
  while (dayEnd < to) {
    const equity: f64 = quantity === 0 ? cash : cash + quantity * closeAtIndex(dayEnd)
    const change: f64 = equity / dayEquity - 1
    sum += lastingReturn(change)
    squares += change * change
    dayEquity = equity
    day++
    dayEnd = dayEndOf(day)
  }
  writeDouble(account + sumAt, sum)
  writeDouble(account + squaresAt, squares)
  writeWord(account + dayAt, day)
  writeDouble(account + dayEquityAt, dayEquity)
  return dayEnd
}
