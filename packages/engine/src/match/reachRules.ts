/**
 * The levels that the shown candle reaches, and their prices, for a host that names the prices of
 * its orders.
 *
 * The levels are the stop and the target of a lot, or a limit of the host. `gap` says the price of
 * a level that the open has passed. NaN is the price of a level that is not reached.
 *
 * @since 0.1.0
 */
import { greater, lesser, magnitude } from "./arithmetic.ts"
import { enterMatcher, lotsStart, marketAt, orderOf } from "./matcherRecords.ts"
import { byTrailingStop } from "./matcherCodes.ts"
import {
  closeAt,
  entryIndexAt,
  firstLotAt,
  heldAt,
  highAt,
  candleIndexAt,
  isWatchedAt,
  limitAt,
  lowAt,
  none,
  openAt,
  stopAt,
  stopOrderAt,
  stopReasonAt,
  targetOrderAt
} from "./matcherLayout.ts"
import { putStop } from "./matcherLots.ts"
import { fillLimit, fillStop, passesLimit, passesStop } from "./fillRules.ts"
import { readDouble, readWord, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { watchQueue } from "./watchedRange.ts"

// The price of a level that the open has passed.
/** The open. */
export const gapToOpen: i32 = 0

/** The level all the same. */
export const gapToLevel: i32 = 1

/** The level, brought inside the candle. */
export const gapToInside: i32 = 2

/** The part of a level by which a price that is beyond it may be so by rounding alone. */
const roundingShare: f64 = 1e-9

/** The price nearest to another one inside the candle. */
function insideCandle(market: i32, price: f64): f64 {
  return lesser(greater(price, readDouble(market + lowAt)), readDouble(market + highAt))
}

/** The price at which the candle fills a limit of the host. */
export function limitReached(at: i32, marketIndex: i32, side: i32, limit: f64, gap: i32): f64 {
  enterMatcher(at)
  const market: i32 = marketAt(marketIndex)
  const high: f64 = readDouble(market + highAt)
  const low: f64 = readDouble(market + lowAt)
  const price: f64 = fillLimit(side, limit, readDouble(market + openAt), high, low)
  // NaN differs from itself.
  if (price !== price || gap === gapToOpen) return price
  return gap === gapToLevel ? limit : insideCandle(market, limit)
}

/** The only lot of a market, or `none`. */
function onlyLot(market: i32): i32 {
  const slot: i32 = readWord(market + firstLotAt)
  return slot === none ? none : lotsStart + slot
}

function lotSide(lot: i32): i32 {
  return readDouble(lot + heldAt) > 0 ? 1 : -1
}

/** Where the stop of the lot lies, or NaN. */
export function stopOfLot(at: i32, marketIndex: i32): f64 {
  enterMatcher(at)
  const lot: i32 = onlyLot(marketAt(marketIndex))
  const order: i32 = lot === none ? none : orderOf(readWord(lot + stopOrderAt))
  return order === none ? NaN : readDouble(order + stopAt)
}

/** Where the target of the lot lies, or NaN. */
export function targetOfLot(at: i32, marketIndex: i32): f64 {
  enterMatcher(at)
  const lot: i32 = onlyLot(marketAt(marketIndex))
  const order: i32 = lot === none ? none : orderOf(readWord(lot + targetOrderAt))
  return order === none ? NaN : readDouble(order + limitAt)
}

/** Why the stop of the lot lies where it does. */
export function stopReasonOfLot(at: i32, marketIndex: i32): i32 {
  enterMatcher(at)
  return readWord(onlyLot(marketAt(marketIndex)) + stopReasonAt)
}

/** The price at which the candle triggers the stop of the lot. */
export function stopReached(at: i32, marketIndex: i32, gap: i32): f64 {
  const stop: f64 = stopOfLot(at, marketIndex)
  if (stop !== stop) return NaN
  const market: i32 = marketAt(marketIndex)
  const side: i32 = lotSide(onlyLot(market))
  const high: f64 = readDouble(market + highAt)
  const low: f64 = readDouble(market + lowAt)
  const price: f64 = fillStop(-side, stop, readDouble(market + openAt), high, low)
  if (price !== price || gap === gapToOpen) return price
  const isBeyond: boolean = !passesLimit(-side, stop, side === 1 ? high : low)
  return gap === gapToLevel || !isBeyond ? stop : price
}

/** The price of the stop where the candle passes it after it has moved the stop there. */
export function movedStopReached(at: i32, marketIndex: i32): f64 {
  const stop: f64 = stopOfLot(at, marketIndex)
  if (stop !== stop) return NaN
  const market: i32 = marketAt(marketIndex)
  const side: i32 = lotSide(onlyLot(market))
  const worst: f64 = readDouble(market + (side === 1 ? lowAt : highAt))
  return passesStop(-side, stop, worst) ? stop : NaN
}

/** Whether the open of the candle was better for the lot than its entry inside the same candle. */
function isOpenBefore(market: i32, lot: i32, entry: f64): boolean {
  if (readWord(lot + entryIndexAt) !== readWord(market + candleIndexAt)) return false
  return (readDouble(market + openAt) - entry) * lotSide(lot) > 0
}

/** Whether the candle was at a level only before it came to the entry inside it. */
function isBeforeEntry(market: i32, lot: i32, level: f64, entry: f64): boolean {
  const close: f64 = readDouble(market + closeAt)
  const side: i32 = lotSide(lot)
  const isAgainst: boolean = (readDouble(market + openAt) - close) * side > 0
  return isOpenBefore(market, lot, entry) && isAgainst && (level - close) * side > 0
}

/**
 * The price at which the candle reaches the target of the lot.
 *
 * `isNew` is 1 for a target that begins with the candle, and `mustPass` 1 where a touch is not
 * enough. `afterEntry` is 1 where a lot that was opened inside the candle at `entry` counts only
 * the prices after that.
 */
export function targetReached(
  at: i32,
  marketIndex: i32,
  gap: i32,
  isNew: i32,
  mustPass: i32,
  afterEntry: i32,
  entry: f64
): f64 {
  const level: f64 = targetOfLot(at, marketIndex)
  if (level !== level) return NaN
  const market: i32 = marketAt(marketIndex)
  const lot: i32 = onlyLot(market)
  const side: i32 = lotSide(lot)
  const best: f64 = readDouble(market + (side === 1 ? highAt : lowAt))
  const beyond: f64 = (best - level) * side
  const isFar: boolean = mustPass === 0 ? beyond >= 0 : beyond > roundingShare * magnitude(level)
  if (!isFar || (afterEntry === 1 && isBeforeEntry(market, lot, level, entry))) return NaN
  if (gap === gapToLevel) return level
  const open: f64 = readDouble(market + openAt)
  const isAtOpen: boolean = (open - level) * side > 0 && !isOpenBefore(market, lot, entry)
  return isAtOpen && (gap === gapToOpen || isNew === 1) ? open : insideCandle(market, level)
}

/** Finds the prices between which a candle touches no level of the lot, if they are not known. */
export function watchLevels(at: i32, marketIndex: i32): void {
  enterMatcher(at)
  const market: i32 = marketAt(marketIndex)
  if (readWord(market + isWatchedAt) === 0) watchQueue(market)
}

/** Moves the stop of the lot to where its host has it trail. */
export function trailTo(at: i32, marketIndex: i32, price: f64): void {
  enterMatcher(at)
  const market: i32 = marketAt(marketIndex)
  const lot: i32 = onlyLot(market)
  putStop(market, lot, price)
  writeWord(lot + stopReasonAt, byTrailingStop)
}
