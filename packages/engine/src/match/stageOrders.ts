/**
 * The orders of a host by stages besides entries: exits that reduce the position, orders that end
 * at a time, and cancelled orders.
 *
 * @since 0.1.0
 */
import {
  matcher,
  enterMatcher,
  hasRoom,
  marketAt,
  nextId,
  ordersStart,
  takeOrder,
  lotsStart
} from "./matcherRecords.ts"
import {
  byQueue,
  done,
  entryLeg,
  exitLeg,
  full,
  hasQuantity,
  isOver,
  nothingToReduce,
  rejected
} from "./matcherCodes.ts"
import {
  expiresAt,
  firstOrderAt,
  flagsAt,
  groupAt,
  candleIndexAt,
  isWatchedAt,
  legAt,
  levelKindsAt,
  limitAt,
  liveFromAt,
  nextOrderAt,
  none,
  orderIdAt,
  orderLotAt,
  orderTagAt,
  placedAt,
  quantityAt,
  sequenceAt,
  sideAt,
  stopAt,
  firstLotAt,
  lotIdAt,
  nextLotAt
} from "./matcherLayout.ts"
import { endOrder, linkFirst, linkLast, sweepOrders, reportEnded } from "./matcherQueue.ts"
import { takesPrice } from "./marketFills.ts"
import { readWord, writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { findOrder } from "./placeOrders.ts"
import { exitReasonAt, untilAt } from "./stageLayout.ts"

/**
 * Places an exit and answers its id. The exit reduces the lot of an id, or with 0 the lots that are
 * held the other way. Where no such lot is open, the matcher refuses the exit, and the log shows
 * so.
 */
export function placeExit(
  at: i32,
  marketIndex: i32,
  side: i32,
  flags: i32,
  quantity: f64,
  limit: f64,
  stop: f64,
  reason: i32,
  lotId: i32,
  tag: i32
): i32 {
  enterMatcher(at)
  if (!hasRoom(1, 0, 1)) return full
  const market: i32 = marketAt(marketIndex)
  const order: i32 = takeOrder()
  const id: i32 = nextId()
  writeDouble(order + quantityAt, quantity)
  writeDouble(order + limitAt, limit)
  writeDouble(order + stopAt, stop)
  writeDouble(order + untilAt, Infinity)
  writeWord(order + orderIdAt, id)
  writeWord(order + sideAt, side)
  writeWord(order + legAt, exitLeg)
  writeWord(order + flagsAt, flags | hasQuantity)
  writeWord(order + orderLotAt, lotId === 0 ? none : findLot(market, lotId))
  writeWord(order + placedAt, readWord(market + candleIndexAt))
  writeWord(order + liveFromAt, 0)
  writeWord(order + orderTagAt, tag)
  writeWord(order + levelKindsAt, 0)
  writeWord(order + expiresAt, none)
  writeWord(order + groupAt, 0)
  writeWord(order + exitReasonAt, reason)
  // In a queue closes at the market come first, as those do that close a lot.
  const isFirst: boolean = readWord(matcher + sequenceAt) === byQueue && takesPrice(order)
  if (isFirst) linkFirst(market, order)
  else linkLast(market, order)
  if (lotId === 0 || readWord(order + orderLotAt) !== none) return id
  reportEnded(market, order, rejected, nothingToReduce)
  endOrder(market, order)
  sweepOrders(market)
  return id
}

/** The slot of the lot of this id, or `none`. */
function findLot(market: i32, id: i32): i32 {
  let slot: i32 = readWord(market + firstLotAt)
  while (slot !== none && readWord(lotsStart + slot + lotIdAt) !== id) {
    slot = readWord(lotsStart + slot + nextLotAt)
  }
  return slot
}

/** Says of an order that no candle fills it which opens at this time or after it. */
export function limitTime(at: i32, marketIndex: i32, id: i32, until: f64): void {
  enterMatcher(at)
  const market: i32 = marketAt(marketIndex)
  const order: i32 = findOrder(market, id)
  if (order === none) return
  writeDouble(order + untilAt, until)
  writeWord(market + isWatchedAt, 0)
}

/**
 * Cancels an entry or an exit, or all of a market where the id is 0, and returns their number. The
 * log has no row for them.
 */
export function withdraw(at: i32, marketIndex: i32, id: i32): i32 {
  enterMatcher(at)
  const market: i32 = marketAt(marketIndex)
  let count: i32 = done
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = ordersStart + slot
    slot = readWord(order + nextOrderAt)
    const leg: i32 = readWord(order + legAt)
    if ((leg !== entryLeg && leg !== exitLeg) || (readWord(order + flagsAt) & isOver) !== 0)
      continue
    if (id !== 0 && readWord(order + orderIdAt) !== id) continue
    endOrder(market, order)
    count += 1
  }
  sweepOrders(market)
  return count
}
