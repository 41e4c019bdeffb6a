/**
 * What a desk is worth, and what ends it: lots closed by the host, equity that is gone.
 *
 * @since 0.1.0
 */
import { magnitude } from "./arithmetic.ts"
import { desk, enterDesk, hasRoom, lots, marketAt, marketsEnd, orders } from "./desk.ts"
import { done, full } from "./deskCodes.ts"
import {
  cashAt,
  closeAt,
  firstLotAt,
  firstOrderAt,
  heldAt,
  indexAt,
  lotCountAt,
  marketBytes,
  nextLotAt,
  nextOrderAt,
  none,
  timeAt
} from "./deskLayout.ts"
import { closeLot } from "./deskLots.ts"
import { readDouble, readWord, writeDouble } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { endOrder, sweepOrders } from "./deskQueue.ts"
import { equityAt } from "./deskSizes.ts"
import { worthBeside } from "./stageFills.ts"

/** What a desk is worth, with the lots of a market at this price. */
export function equityOf(at: i32, marketIndexOf: i32, price: f64): f64 {
  enterDesk(at)
  return equityAt(marketAt(marketIndexOf), price)
}

/** What a desk is worth, with all lots at their last closes. */
export function equityNow(at: i32): f64 {
  enterDesk(at)
  return worthBeside(none)
}

/** Closes all lots of a market at the close of the candle that is shown. */
export function closeAllLots(at: i32, marketIndexOf: i32, reason: i32): i32 {
  enterDesk(at)
  if (!hasRoom(0, 0, readWord(desk + lotCountAt))) return full
  const market: i32 = marketAt(marketIndexOf)
  const close: f64 = readDouble(market + closeAt)
  const index: i32 = readWord(market + indexAt)
  const time: f64 = readDouble(market + timeAt)
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    const lot: i32 = lots + slot
    slot = readWord(lot + nextLotAt)
    const held: f64 = magnitude(readDouble(lot + heldAt))
    closeLot(market, lot, held, close, index, time, reason, false, 0)
  }
  sweepOrders(market)
  return done
}

/** Takes all orders out of the queues and the cash away: no equity is left. */
export function ruin(at: i32): void {
  enterDesk(at)
  writeDouble(desk + cashAt, 0)
  const end: i32 = marketsEnd()
  for (let market: i32 = marketAt(0); market < end; market += marketBytes) {
    for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
      const order: i32 = orders + slot
      slot = readWord(order + nextOrderAt)
      endOrder(market, order)
    }
    sweepOrders(market)
  }
}
