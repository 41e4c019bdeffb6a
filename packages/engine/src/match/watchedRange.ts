/**
 * The prices between which a candle touches nothing of a market, and the first candle that ends an
 * order.
 *
 * Before that candle, a candle between those prices changes nothing.
 *
 * @since 0.1.0
 */
import { greater, lesser } from "./arithmetic.ts"
import { lotsStart, ordersStart, matcher } from "./matcherRecords.ts"
import { hasLimit, hasStop, isImmediate, isTriggered, neverDue, byStage } from "./matcherCodes.ts"
import {
  dueAt,
  expiresAt,
  firstLotAt,
  firstOrderAt,
  flagsAt,
  heldAt,
  highAt,
  candleIndexAt,
  isWatchedAt,
  limitAt,
  lowAt,
  movesAt,
  nextLotAt,
  nextOrderAt,
  none,
  openAt,
  sideAt,
  stopAt,
  watchedAboveAt,
  watchedBelowAt,
  sequenceAt
} from "./matcherLayout.ts"
import { readDouble, readWord, writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { raiseFrom } from "./protectLots.ts"
import { dueTimeAt, untilAt } from "./stageLayout.ts"

/** Whether the candle touches nothing that rests, so that it changes nothing. */
export function isUntouched(market: i32): boolean {
  if (readWord(market + candleIndexAt) >= readWord(market + dueAt)) return false
  const open: f64 = readDouble(market + openAt)
  const below: f64 = readDouble(market + watchedBelowAt)
  const above: f64 = readDouble(market + watchedAboveAt)
  const isAbove: boolean = readDouble(market + lowAt) > below && open > below
  return isAbove && readDouble(market + highAt) < above && open < above
}

/** Finds the prices between which a candle touches nothing that rests. */
export function watchQueue(market: i32): void {
  let below: f64 = -Infinity
  let above: f64 = Infinity
  let due: i32 = neverDue
  let dueTime: f64 = Infinity
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = ordersStart + slot
    slot = readWord(order + nextOrderAt)
    const flags: i32 = readWord(order + flagsAt)
    const waitsForStop: boolean = (flags & (hasStop | isTriggered)) === hasStop
    const isBuy: boolean = readWord(order + sideAt) === 1
    const last: i32 = readWord(order + expiresAt)
    if (last !== none && last < due) due = last
    dueTime = lesser(dueTime, readDouble(order + untilAt))
    // Every candle touches a market order.
    let level: f64 = isBuy ? Infinity : -Infinity
    if (waitsForStop) level = readDouble(order + stopAt)
    else if ((flags & (hasLimit | isImmediate)) === hasLimit) level = readDouble(order + limitAt)
    const isBelow: boolean = isBuy !== waitsForStop
    if (isBelow && level > below) below = level
    if (!isBelow && level < above) above = level
  }
  writeDouble(market + watchedBelowAt, below)
  writeDouble(market + watchedAboveAt, above)
  writeWord(market + dueAt, due)
  writeDouble(market + dueTimeAt, dueTime)
  writeWord(market + isWatchedAt, 1)
  watchStops(market)
}

/**
 * Brings the two prices as near as the prices that move a stop. With stages only a stop counts that
 * every candle moves: `quietCandle.ts` looks at the others.
 */
function watchStops(market: i32): void {
  const isByStage: boolean = readWord(matcher + sequenceAt) === byStage
  let below: f64 = readDouble(market + watchedBelowAt)
  let above: f64 = readDouble(market + watchedAboveAt)
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    const lot: i32 = lotsStart + slot
    slot = readWord(lot + nextLotAt)
    const moves: i32 = readWord(lot + movesAt)
    if (moves === 0) continue
    const isLong: boolean = readDouble(lot + heldAt) > 0
    const from: f64 = raiseFrom(market, lot, moves, isLong ? 1 : -1)
    if (isByStage && from !== (isLong ? -Infinity : Infinity)) continue
    if (isLong) above = lesser(above, from)
    else below = greater(below, from)
  }
  writeDouble(market + watchedBelowAt, below)
  writeDouble(market + watchedAboveAt, above)
}
