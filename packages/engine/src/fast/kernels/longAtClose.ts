/**
 * Books positions of all the equity that are never short and fill at closes, candle by candle.
 *
 * An open position leaves no cash over, so equity is a product of prices, and returns are
 * differences of sums. It replaces `allIn.ts` for these positions with less work, while
 * `roundTripsAtClose.ts` and `levelTouches.ts` find where positions begin and end. `sideChanges.ts`
 * does it with still less where they are left at closes only.
 *
 * @since 0.1.0
 */
import {
  accountCashAt,
  cursorAt,
  entryCountAt,
  positionEntryIndexAt,
  positionEntryPriceAt,
  lastEquityAt,
  positionLiveFromAt,
  positionQuantityAt,
  squaresAt,
  sumAt
} from "./layout.ts"
import {
  closeAtIndex,
  inverses,
  returnSums,
  slippageRate,
  takerRate,
  tileEnd,
  tileStart
} from "./market.ts"
import { slip, unitCost } from "../../match/fillRules.ts"
import { entryPriceIn } from "./entries.ts"
import { readDouble, readWord } from "./memory.ts"
import { writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "../../match/number.ts"
import { followCash, followHeld, resumeDrawdown, saveDrawdown } from "./stretch.ts"

// The run whose turn it is. Candles are counted from the beginning of the tile, those before it
// are -1.
let cash: f64 = 0
let quantity: f64 = 0
let sum: f64 = 0
let squares: f64 = 0
let entryCount: i32 = 0
let entry: i32 = 0

/** The part of the equity that a buy leaves. */
let bought: f64 = 0

/** The candle of the last exit, and the factor by which that position changed the equity. */
let left: i32 = 0
let leftRatio: f64 = 0

/** Goes on with a run. */
export function resumeLong(account: i32): void {
  resumeDrawdown(account)
  cash = readDouble(account + accountCashAt)
  quantity = readDouble(account + positionQuantityAt)
  sum = readDouble(account + sumAt)
  squares = readDouble(account + squaresAt)
  entryCount = readWord(account + entryCountAt)
  bought = 1 / unitCost(slip(1, 1, slippageRate), takerRate)
  entry = readWord(account + positionEntryIndexAt) - tileStart
  if (entry < -1) entry = -1
  left = -1
  leftRatio = 1
}

/** Whether the run has a position. */
export function isInPosition(): boolean {
  return quantity !== 0
}

/** The candle of its last entry. */
export function lastEntry(): i32 {
  return entry
}

/**
 * Adds a return.
 *
 * @inline
 */
function countChange(change: f64): void {
  sum += change
  squares += change * change
}

/**
 * Opens a position at a close. The return of the candle in which the last one was left is kept
 * until then: it may be the same.
 *
 * @inline
 */
export function enterLong(index: i32): void {
  if (index === left) countChange(leftRatio * bought - 1)
  else {
    countChange(leftRatio - 1)
    followCash(cash)
    countChange(bought - 1)
  }
  leftRatio = 1
  quantity = cash * bought * readDouble(inverses + (index << 3))
  entry = index
  entryCount++
}

/**
 * Holds the position through the closes before a candle.
 *
 * @inline
 */
function holdLong(to: i32): void {
  const from: i32 = entry > 0 ? entry : 0
  if (to > from) {
    // Returns before a position's first close are not its own.
    const one: i32 = returnSums + (entry << 4)
    const other: i32 = returnSums + ((to - 1) << 4)
    sum += readDouble(other) - readDouble(one)
    squares += readDouble(other + 8) - readDouble(one + 8)
    followHeld(tileStart + from, tileStart + to, 0, quantity, 1)
  }
}

/**
 * Closes the position in a candle, for the proceeds of a unit there after costs.
 *
 * @inline
 */
export function exitLong(index: i32, brings: f64): void {
  holdLong(index)
  cash = quantity * brings
  quantity = 0
  left = index
  leftRatio = brings * readDouble(inverses + (index << 3) - 8)
}

/** Puts a run back at the end of a tile that is not the last one. */
export function saveLong(account: i32): void {
  if (quantity === 0) {
    countChange(leftRatio - 1)
    followCash(cash)
    writeDouble(account + accountCashAt, cash)
    writeDouble(account + lastEquityAt, cash)
  } else {
    holdLong(tileEnd - tileStart)
    writeDouble(account + accountCashAt, 0)
    writeDouble(account + lastEquityAt, quantity * closeAtIndex(tileEnd - 1))
  }
  writeDouble(account + positionQuantityAt, quantity)
  saveDrawdown(account)
  writeDouble(account + sumAt, sum)
  writeDouble(account + squaresAt, squares)
  writeWord(account + cursorAt, tileEnd)
  writeWord(account + entryCountAt, entryCount)
  if (entry >= 0) {
    const index: i32 = tileStart + entry
    writeWord(account + positionEntryIndexAt, index)
    writeWord(account + positionLiveFromAt, index + 1)
    writeDouble(account + positionEntryPriceAt, entryPriceIn(index, 1))
  }
}
