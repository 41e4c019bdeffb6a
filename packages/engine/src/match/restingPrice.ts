/**
 * The price at which an order that rests fills in the stretch of prices that is shown.
 *
 * @since 0.1.0
 */
import { gapAtStop, gapWaits, hasStop, hasLimit, isTriggered } from "./matcherCodes.ts"
import {
  flagsAt,
  candleIndexAt,
  isWatchedAt,
  limitAt,
  liveFromAt,
  sideAt,
  stopAt,
  stopLimitGapAt
} from "./matcherLayout.ts"
import { matcher } from "./matcherRecords.ts"
import { fillLimit, fillStop, fillStopLimit, isLimitBeyond, passesLimit } from "./fillRules.ts"
import { readDouble, readWord, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { rangeHigh, rangeLow, rangeOpen } from "./passage.ts"

/** The raw price of an order with a limit or a stop, or NaN; triggers stop-limit orders. */
export function restingPrice(market: i32, order: i32): f64 {
  const flags: i32 = readWord(order + flagsAt)
  const side: f64 = readWord(order + sideAt)
  const limit: f64 = readDouble(order + limitAt)
  const stop: f64 = readDouble(order + stopAt)
  if ((flags & hasStop) === 0 || (flags & isTriggered) !== 0) {
    // One that waits after its trigger.
    if (readWord(market + candleIndexAt) < readWord(order + liveFromAt)) return NaN
    return fillLimit(side, limit, rangeOpen, rangeHigh, rangeLow)
  }
  const trigger: f64 = fillStop(side, stop, rangeOpen, rangeHigh, rangeLow)
  // NaN differs from itself.
  if (trigger !== trigger || (flags & hasLimit) === 0) return trigger
  writeWord(order + flagsAt, flags | isTriggered)
  writeWord(market + isWatchedAt, 0)
  const gap: i32 = readWord(matcher + stopLimitGapAt)
  if (gap === gapWaits && !isLimitBeyond(side, stop, limit)) {
    writeWord(order + liveFromAt, readWord(market + candleIndexAt) + 1)
    return NaN
  }
  if (gap !== gapAtStop) {
    return fillStopLimit(side, stop, limit, trigger, rangeHigh, rangeLow)
  }
  const isReached: boolean = passesLimit(side, limit, side === 1 ? rangeLow : rangeHigh)
  return isLimitBeyond(side, stop, limit) && isReached ? stop : NaN
}
