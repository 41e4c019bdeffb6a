/**
 * The queue of a market: its orders at rest, in the order in which they are looked at.
 *
 * An order that ends inside a pass stays linked until the pass is over, so that the pass finds the
 * next one.
 *
 * @since 0.1.0
 */
import { freeOrder, ordersStart, takeRow } from "./matcherRecords.ts"
import {
  cancelled,
  closeLeg,
  endedRow,
  expired,
  isOver,
  otherFilled,
  outOfTime,
  stopLeg,
  targetLeg
} from "./matcherCodes.ts"
import {
  closeCountAt,
  expiresAt,
  firstOrderAt,
  flagsAt,
  groupAt,
  candleIndexAt,
  isWatchedAt,
  lastOrderAt,
  legAt,
  marketIndexAt,
  nextOrderAt,
  none,
  orderBytes,
  overCountAt,
  previousOrderAt,
  timeAt
} from "./matcherLayout.ts"
import {
  rowIndexAt,
  rowKindAt,
  rowMarketAt,
  rowOrderAt,
  rowOutcomeAt,
  rowReasonAt
} from "./logLayout.ts"
import { readDouble, readWord, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { ownOrderCountAt, untilAt } from "./stageLayout.ts"

/** Counts an order that comes into the queue, or leaves it; protective exits are not counted. */
function countOwn(market: i32, order: i32, more: i32): void {
  const leg: i32 = readWord(order + legAt)
  if (leg === stopLeg || leg === targetLeg) return
  writeWord(market + ownOrderCountAt, readWord(market + ownOrderCountAt) + more)
}

/** Puts an order in front of the queue. */
export function linkFirst(market: i32, order: i32): void {
  const slot: i32 = order - ordersStart
  countOwn(market, order, 1)
  const first: i32 = readWord(market + firstOrderAt)
  writeWord(market + isWatchedAt, 0)
  writeWord(order + previousOrderAt, none)
  writeWord(order + nextOrderAt, first)
  writeWord(market + firstOrderAt, slot)
  if (first === none) writeWord(market + lastOrderAt, slot)
  else writeWord(ordersStart + first + previousOrderAt, slot)
}

/** Puts an order at the end of the queue. */
export function linkLast(market: i32, order: i32): void {
  const slot: i32 = order - ordersStart
  countOwn(market, order, 1)
  const last: i32 = readWord(market + lastOrderAt)
  writeWord(market + isWatchedAt, 0)
  writeWord(order + nextOrderAt, none)
  writeWord(order + previousOrderAt, last)
  writeWord(market + lastOrderAt, slot)
  if (last === none) writeWord(market + firstOrderAt, slot)
  else writeWord(ordersStart + last + nextOrderAt, slot)
}

/** Takes an order out of the queue; its record stays. */
export function unlink(market: i32, order: i32): void {
  countOwn(market, order, -1)
  const previous: i32 = readWord(order + previousOrderAt)
  const next: i32 = readWord(order + nextOrderAt)
  writeWord(market + isWatchedAt, 0)
  if (previous === none) writeWord(market + firstOrderAt, next)
  else writeWord(ordersStart + previous + nextOrderAt, next)
  if (next === none) writeWord(market + lastOrderAt, previous)
  else writeWord(ordersStart + next + previousOrderAt, previous)
}

/** Ends an order; the log has no row of it. */
export function endOrder(market: i32, order: i32): void {
  const flags: i32 = readWord(order + flagsAt)
  if ((flags & isOver) !== 0) return
  writeWord(order + flagsAt, flags | isOver)
  writeWord(market + overCountAt, readWord(market + overCountAt) + 1)
  if (readWord(order + legAt) === closeLeg) {
    writeWord(market + closeCountAt, readWord(market + closeCountAt) - 1)
  }
}

/** Reports that an order ended, and why. */
export function reportEnded(market: i32, order: i32, outcome: i32, reason: i32): void {
  const row: i32 = takeRow()
  writeWord(row + rowKindAt, endedRow)
  writeWord(row + rowMarketAt, readWord(market + marketIndexAt))
  writeWord(row + rowIndexAt, readWord(market + candleIndexAt))
  writeWord(row + rowOutcomeAt, outcome)
  writeWord(row + rowReasonAt, reason)
  for (let at: i32 = 0; at < orderBytes; at += 4) {
    writeWord(row + rowOrderAt + at, readWord(order + at))
  }
}

/** Takes orders that ended out of the queue. */
export function sweepOrders(market: i32): void {
  if (readWord(market + overCountAt) === 0) return
  writeWord(market + overCountAt, 0)
  let slot: i32 = readWord(market + firstOrderAt)
  while (slot !== none) {
    const order: i32 = ordersStart + slot
    slot = readWord(order + nextOrderAt)
    if ((readWord(order + flagsAt) & isOver) === 0) continue
    unlink(market, order)
    freeOrder(order)
  }
}

/** Cancels the others of the group of an order that was filled; 0 is no group. */
export function endGroup(market: i32, filled: i32): void {
  const group: i32 = readWord(filled + groupAt)
  if (group === 0) return
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = ordersStart + slot
    slot = readWord(order + nextOrderAt)
    if (order === filled || readWord(order + groupAt) !== group) continue
    if ((readWord(order + flagsAt) & isOver) !== 0) continue
    reportEnded(market, order, cancelled, otherFilled)
    endOrder(market, order)
  }
}

/** Ends the orders that no candle fills which opens when the one that is shown does. */
export function endPast(market: i32): void {
  const time: f64 = readDouble(market + timeAt)
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = ordersStart + slot
    slot = readWord(order + nextOrderAt)
    if (time < readDouble(order + untilAt)) continue
    reportEnded(market, order, expired, outOfTime)
    endOrder(market, order)
  }
  sweepOrders(market)
}

/** Ends the orders that the candle that is shown was the last of. */
export function endOverdue(market: i32): void {
  const index: i32 = readWord(market + candleIndexAt)
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = ordersStart + slot
    slot = readWord(order + nextOrderAt)
    const last: i32 = readWord(order + expiresAt)
    if (last === none || index < last) continue
    reportEnded(market, order, expired, outOfTime)
    endOrder(market, order)
  }
  sweepOrders(market)
}
