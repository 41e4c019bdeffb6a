/**
 * The worth of a matcher, and its end: lots closed by the host, equity that is gone.
 *
 * @since 0.1.0
 */
import { magnitude } from "./arithmetic.ts"
import {
  enterMatcher,
  hasRoom,
  lotsStart,
  marketAt,
  marketsEnd,
  matcher,
  ordersStart
} from "./matcherRecords.ts"
import { done, entryLeg, full, hasLimit, hasQuantity, hasStop } from "./matcherCodes.ts"
import {
  cashAt,
  firstLotAt,
  firstOrderAt,
  flagsAt,
  groupAt,
  heldAt,
  candleIndexAt,
  legAt,
  limitAt,
  lotCountAt,
  marketBytes,
  nextLotAt,
  nextOrderAt,
  none,
  quantityAt,
  stopAt,
  orderCountAt
} from "./matcherLayout.ts"
import { closeLot } from "./matcherLots.ts"
import { readDouble, readWord, writeDouble } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { endOrder, sweepOrders } from "./matcherQueue.ts"
import { markOf, worthBeside } from "./matcherSizes.ts"
import { lastCloseAt, lastTimeAt } from "./stageLayout.ts"

/** The worth of a matcher, with all lots at their last closes. */
export function equityNow(at: i32): f64 {
  enterMatcher(at)
  return worthBeside(none)
}

/** Notional of all lots, at their last closes. */
export function openNotional(at: i32): f64 {
  enterMatcher(at)
  let notional: f64 = 0
  const end: i32 = marketsEnd()
  for (let market: i32 = marketAt(0); market < end; market += marketBytes) {
    for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
      const lot: i32 = lotsStart + slot
      slot = readWord(lot + nextLotAt)
      notional += magnitude(readDouble(lot + heldAt)) * markOf(market, lot)
    }
  }
  return notional
}

/**
 * The committed notional when an entry is decided in this market: all lots, and the entries that
 * rest in the other markets. Of a group the largest order counts.
 */
export function committedNotional(at: i32, marketIndexOf: i32): f64 {
  let notional: f64 = openNotional(at)
  const own: i32 = marketAt(marketIndexOf)
  const end: i32 = marketsEnd()
  for (let market: i32 = marketAt(0); market < end; market += marketBytes) {
    if (market === own) continue
    for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
      const order: i32 = ordersStart + slot
      slot = readWord(order + nextOrderAt)
      if (isCounted(order) && isLargest(market, order)) notional += expected(market, order)
    }
  }
  return notional
}

/** Whether an order is an entry of which the units are known. */
function isCounted(order: i32): boolean {
  if (readWord(order + legAt) !== entryLeg) return false
  return (readWord(order + flagsAt) & hasQuantity) !== 0
}

/** Whether no order of an entry's group counts for it: the largest does, as only one fills. */
function isLargest(market: i32, order: i32): boolean {
  const group: i32 = readWord(order + groupAt)
  if (group === 0) return true
  const notional: f64 = expected(market, order)
  let isBefore: boolean = true
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const other: i32 = ordersStart + slot
    slot = readWord(other + nextOrderAt)
    if (other === order) isBefore = false
    if (other === order || readWord(other + groupAt) !== group || !isCounted(other)) continue
    const found: f64 = expected(market, other)
    if (found > notional || (isBefore && found === notional)) return false
  }
  return true
}

/** Notional of an entry at the price that it is expected to fill at. */
function expected(market: i32, order: i32): f64 {
  return readDouble(order + quantityAt) * expectedPrice(market, order)
}

/**
 * The price that an order names, or else the last close of its market. An order with a limit and a
 * stop counts at the larger one, for it may fill at either.
 */
function expectedPrice(market: i32, order: i32): f64 {
  const flags: i32 = readWord(order + flagsAt)
  const limit: f64 = (flags & hasLimit) !== 0 ? readDouble(order + limitAt) : 0
  const stop: f64 = (flags & hasStop) !== 0 ? readDouble(order + stopAt) : 0
  const named: f64 = limit > stop ? limit : stop
  if ((flags & (hasLimit | hasStop)) !== 0) return named
  const close: f64 = readDouble(market + lastCloseAt)
  // NaN differs from itself.
  return close === close ? close : 0
}

/** Closes all lots of a market at its last close. */
export function closeAllLots(at: i32, marketIndexOf: i32, reason: i32): i32 {
  enterMatcher(at)
  const rowCount: i32 = readWord(matcher + lotCountAt) + readWord(matcher + orderCountAt)
  if (!hasRoom(0, 0, rowCount)) return full
  const market: i32 = marketAt(marketIndexOf)
  const close: f64 = readDouble(market + lastCloseAt)
  const index: i32 = readWord(market + candleIndexAt)
  const time: f64 = readDouble(market + lastTimeAt)
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    const lot: i32 = lotsStart + slot
    slot = readWord(lot + nextLotAt)
    const held: f64 = magnitude(readDouble(lot + heldAt))
    closeLot(market, lot, held, close, index, time, reason, false, 0)
  }
  sweepOrders(market)
  return done
}

/** Takes all orders out of the queues and the cash away: no equity is left. */
export function ruin(at: i32): void {
  enterMatcher(at)
  writeDouble(matcher + cashAt, 0)
  const end: i32 = marketsEnd()
  for (let market: i32 = marketAt(0); market < end; market += marketBytes) {
    for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
      const order: i32 = ordersStart + slot
      slot = readWord(order + nextOrderAt)
      endOrder(market, order)
    }
    sweepOrders(market)
  }
}
