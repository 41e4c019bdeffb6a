/**
 * The current matcher, its records, and the room for more of them.
 *
 * @since 0.1.0
 */
import { none } from "./matcherLayout.ts"
import {
  freeLotAt,
  freeOrderAt,
  headerBytes,
  lastIdAt,
  logAt,
  logCapacityAt,
  logCountAt,
  lotCapacityAt,
  lotCountAt,
  lotsAt,
  marketBytes,
  marketCountAt,
  nextLotAt,
  nextOrderAt,
  orderCapacityAt,
  orderCountAt,
  ordersAt
} from "./matcherLayout.ts"
import { rowBytes } from "./logLayout.ts"
import { readWord, writeWord } from "./memory.ts"
import type { i32 } from "./number.ts"

/** Where the header is. */
export let matcher: i32 = 0

/** Where the orders begin. */
export let ordersStart: i32 = 0

/** Where the lots begin. */
export let lotsStart: i32 = 0

/** Makes the functions of `match/` work on the matcher at an address. */
export function enterMatcher(at: i32): void {
  matcher = at
  ordersStart = at + readWord(at + ordersAt)
  lotsStart = at + readWord(at + lotsAt)
}

/**
 * Where a market is.
 *
 * @inline
 */
export function marketAt(index: i32): i32 {
  return matcher + headerBytes + index * marketBytes
}

/**
 * Where the markets end.
 *
 * @inline
 */
export function marketsEnd(): i32 {
  return marketAt(readWord(matcher + marketCountAt))
}

/** The next id. */
export function nextId(): i32 {
  const id: i32 = readWord(matcher + lastIdAt) + 1
  writeWord(matcher + lastIdAt, id)
  return id
}

/** Whether so many more orders, lots and log rows fit. */
export function hasRoom(moreOrders: i32, moreLots: i32, moreRows: i32): boolean {
  return (
    readWord(matcher + orderCountAt) + moreOrders <= readWord(matcher + orderCapacityAt) &&
    readWord(matcher + lotCountAt) + moreLots <= readWord(matcher + lotCapacityAt) &&
    readWord(matcher + logCountAt) + moreRows <= readWord(matcher + logCapacityAt)
  )
}

/** Whether all events of a candle fit: openings, closings and ends of orders. */
export function hasRoomForCandle(): boolean {
  const orderCount: i32 = readWord(matcher + orderCountAt)
  const lotCount: i32 = readWord(matcher + lotCountAt)
  return hasRoom(2 * orderCount + lotCount, orderCount, 3 * lotCount + 6 * orderCount)
}

/** A free order record, at its address. */
export function takeOrder(): i32 {
  const order: i32 = ordersStart + readWord(matcher + freeOrderAt)
  writeWord(matcher + freeOrderAt, readWord(order + nextOrderAt))
  writeWord(matcher + orderCountAt, readWord(matcher + orderCountAt) + 1)
  return order
}

/** Gives an order record back. */
export function freeOrder(order: i32): void {
  writeWord(order + nextOrderAt, readWord(matcher + freeOrderAt))
  writeWord(matcher + freeOrderAt, order - ordersStart)
  writeWord(matcher + orderCountAt, readWord(matcher + orderCountAt) - 1)
}

/** A free lot record, at its address. */
export function takeLot(): i32 {
  const lot: i32 = lotsStart + readWord(matcher + freeLotAt)
  writeWord(matcher + freeLotAt, readWord(lot + nextLotAt))
  writeWord(matcher + lotCountAt, readWord(matcher + lotCountAt) + 1)
  return lot
}

/** Gives a lot record back. */
export function freeLot(lot: i32): void {
  writeWord(lot + nextLotAt, readWord(matcher + freeLotAt))
  writeWord(matcher + freeLotAt, lot - lotsStart)
  writeWord(matcher + lotCountAt, readWord(matcher + lotCountAt) - 1)
}

/** The address of an order by its slot, or `none`. */
export function orderOf(slot: i32): i32 {
  return slot === none ? none : ordersStart + slot
}

/** The next log row, at its address. */
export function takeRow(): i32 {
  const count: i32 = readWord(matcher + logCountAt)
  writeWord(matcher + logCountAt, count + 1)
  return matcher + readWord(matcher + logAt) + count * rowBytes
}
