/**
 * The contents of a stretch of candles with one position: its range of closes, and the depth of
 * equity's fall.
 *
 * The rare ways through it candle by candle leave their numbers in module variables.
 *
 * @since 0.1.0
 */
import { dayAt, dayEquityAt, deepestAt, peakAt, squaresAt, sumAt } from "./layout.ts"
import { close, closeAtIndex, dayEndOf, extremes, extremesStride, tileStart } from "./market.ts"
import { greater, lesser } from "../../match/arithmetic.ts"
import { readDouble, readWord } from "./memory.ts"
import { writeDouble, writeWord } from "./memory.ts"
import { findRange, least, most, walkRange } from "./ranges.ts"
import type { f64, i32 } from "../../match/number.ts"

// The run whose turn it is: its peak, its deepest fall, and the least equity in this tile since the
// peak. The fall is computed when the peak moves.
let peak: f64 = 0
let deepest: f64 = 0
let trough: f64 = 0

/** Cash that is so little beside equity that a position's returns are those of the price. */
export const cashShareMax: f64 = 1e-13

let sumAfter: f64 = 0
let squaresAfter: f64 = 0

/**
 * Finds the range of the closes of a stretch.
 *
 * @inline
 */
function findRangeOfCloses(from: i32, to: i32): void {
  if (extremes === 0) walkRange(close + (from << 3), to - from)
  else findRange(extremes, extremesStride, from - tileStart, to - tileStart)
}

/** A return, or no number where it rounds to the loss of everything: no returns come after that. */
export function lastingReturn(change: f64): f64 {
  return change > -1 ? change : NaN
}

/** Moves the peak and the deepest fall candle by candle. */
function walkDrawdown(from: i32, to: i32, cash: f64, quantity: f64): void {
  for (let index: i32 = from; index < to; index++) {
    const equity: f64 = cash + quantity * closeAtIndex(index)
    if (equity > peak) peak = equity
    else if ((peak - equity) / peak > deepest) {
      deepest = (peak - equity) / peak
    }
  }
}

/** Goes on with the drawdown of a run. */
export function resumeDrawdown(account: i32): void {
  peak = readDouble(account + peakAt)
  deepest = readDouble(account + deepestAt)
  trough = peak
}

/** Puts it back. */
export function saveDrawdown(account: i32): void {
  writeDouble(account + peakAt, peak)
  writeDouble(account + deepestAt, deepestNow())
}

/**
 * The deepest fall so far, with that to the trough.
 *
 * @inline
 */
function deepestNow(): f64 {
  return greater(deepest, (peak - trough) / peak)
}

/**
 * Follows equity through a stretch in which it is cash alone.
 *
 * @inline
 */
export function followCash(cash: f64): void {
  if (cash > peak) {
    deepest = deepestNow()
    peak = cash
    trough = cash
  } else trough = lesser(trough, cash)
}

/**
 * Follows equity through a stretch with a position. `isLong` is whether its quantity is above 0,
 * which callers know.
 *
 * @inline
 */
export function followHeld(from: i32, to: i32, cash: f64, quantity: f64, isLong: i32): void {
  findRangeOfCloses(from, to)
  const lowest: f64 = cash + quantity * (isLong === 1 ? least : most)
  const highest: f64 = cash + quantity * (isLong === 1 ? most : least)
  if (highest > peak) {
    deepest = deepestNow()
    // Where the whole range can't have fallen deeper, it is not searched.
    if (lowest < highest - highest * deepest) walkDrawdown(from, to, cash, quantity)
    else peak = highest
    trough = peak
  } else trough = lesser(trough, lowest)
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

/** The sum of the returns of the last walk. */
export function walkedSum(): f64 {
  return sumAfter
}

/** The sum of the squares of the returns of the last walk. */
export function walkedSquares(): f64 {
  return squaresAfter
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
