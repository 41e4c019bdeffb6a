/**
 * Candles that fill nothing of a matcher that goes by stages.
 *
 * They skip all stages: only the market's index, time and close move on, and stops that follow the
 * price.
 *
 * @since 0.1.0
 */
import { byStage } from "./matcherCodes.ts"
import { roundDown } from "./arithmetic.ts"
import { enterMatcher, lotsStart, marketAt, matcher } from "./matcherRecords.ts"
import {
  closeAt,
  firstLotAt,
  firstOrderAt,
  heldAt,
  highAt,
  isWatchedAt,
  lowAt,
  nextLotAt,
  none,
  openAt,
  timeAt,
  candleIndexAt,
  lotCountAt,
  movesAt,
  stopFromAt,
  orderCapacityAt,
  orderCountAt,
  sequenceAt
} from "./matcherLayout.ts"
import { passesStop } from "./fillRules.ts"
import { readDouble, readWord, writeDouble, writeWord } from "./memory.ts"
import { mayPassRaised, raiseStops } from "./protectLots.ts"
import type { f64, i32 } from "./number.ts"
import { worthBeside } from "./matcherSizes.ts"
import {
  dueTimeAt,
  fundingIntervalAt,
  fundingRateAt,
  isHeldAt,
  isShownAt,
  lastCloseAt,
  lastTimeAt
} from "./stageLayout.ts"
import { isUntouched, watchQueue } from "./watchedRange.ts"

/**
 * The price at which equity is gone, NaN where there is none. A long that was paid in full has such
 * a price once funding has taken more than the cash.
 */
export function ruinOf(market: i32): f64 {
  return ruinAt(market, netHeld(market))
}

function ruinAt(market: i32, held: f64): f64 {
  if (held === 0) return NaN
  const level: f64 = -worthBeside(market) / held
  return level > 0 ? level : NaN
}

/** Units of all lots of a market; units of shorts are negative. */
export function netHeld(market: i32): f64 {
  let held: f64 = 0
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    held += readDouble(lotsStart + slot + heldAt)
    slot = readWord(lotsStart + slot + nextLotAt)
  }
  return held
}

/** The number of times that funding is due since the candle before. */
export function fundingCount(market: i32): f64 {
  const interval: f64 = readDouble(market + fundingIntervalAt)
  const last: f64 = readDouble(market + lastTimeAt)
  // NaN differs from itself.
  if (interval === 0 || readDouble(market + fundingRateAt) === 0 || last !== last) return 0
  return roundDown(readDouble(market + timeAt) / interval) - roundDown(last / interval)
}

/** Whether the candle reaches the price at which the equity of so many units is gone. */
function isRuined(market: i32, held: f64): boolean {
  const ruin: f64 = ruinAt(market, held)
  // NaN differs from itself.
  if (ruin !== ruin) return false
  const side: f64 = held > 0 ? -1 : 1
  const reached: f64 = readDouble(market + (side === 1 ? highAt : lowAt))
  return passesStop(side, ruin, reached) || passesStop(side, ruin, readDouble(market + openAt))
}

/** Whether the inside of the candle that is shown fills nothing. */
export function isQuietInside(market: i32): boolean {
  if (readWord(market + isWatchedAt) === 0 || !isUntouched(market)) return false
  if (readWord(market + firstLotAt) === none) return true
  // The range that is watched has the prices that move stops, and ruin counts at the close.
  if (readWord(matcher + sequenceAt) !== byStage) return true
  const index: i32 = readWord(market + candleIndexAt)
  let held: f64 = 0
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    const lot: i32 = lotsStart + slot
    slot = readWord(lot + nextLotAt)
    held += readDouble(lot + heldAt)
    const moves: i32 = readWord(lot + movesAt)
    if (moves === 0 || index < readWord(lot + stopFromAt)) continue
    if (mayPassRaised(market, lot, moves)) return false
  }
  return !isRuined(market, held)
}

function hasRoomForStops(): boolean {
  const count: i32 = readWord(matcher + orderCountAt) + readWord(matcher + lotCountAt)
  return count <= readWord(matcher + orderCapacityAt)
}

/** Whether the candle that is shown changes nothing of its market: 1 or 0. */
export function isQuiet(at: i32, marketIndexOf: i32): i32 {
  enterMatcher(at)
  const market: i32 = marketAt(marketIndexOf)
  const isEmpty: boolean = readWord(market + firstLotAt) === none
  if (isEmpty && readWord(market + firstOrderAt) === none) return 1
  // A stop that is set for the first time takes a record.
  if (!isEmpty && !hasRoomForStops()) return 0
  if (!isEmpty && fundingCount(market) > 0) return 0
  if (readWord(market + isWatchedAt) === 0) watchQueue(market)
  if (readDouble(market + timeAt) >= readDouble(market + dueTimeAt)) return 0
  return isQuietInside(market) ? 1 : 0
}

/** The candle that is shown is over, and the market knows its close. */
export function endCandle(market: i32): void {
  writeWord(market + isShownAt, 0)
  writeDouble(market + lastCloseAt, readDouble(market + closeAt))
  writeDouble(market + lastTimeAt, readDouble(market + timeAt))
  if (readWord(market + firstLotAt) !== none) writeWord(matcher + isHeldAt, 1)
}

/** Ends a candle that filled nothing of its market; it may have moved stops. */
export function endQuiet(at: i32, marketIndexOf: i32): void {
  enterMatcher(at)
  const market: i32 = marketAt(marketIndexOf)
  endCandle(market)
  if (readWord(market + firstLotAt) !== none) raiseStops(market)
}
