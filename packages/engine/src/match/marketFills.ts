/**
 * Fills of orders that name no price but take the one that there is: the open of a candle, or its
 * close.
 *
 * @since 0.1.0
 */
import {
  closeLeg,
  done,
  entryLeg,
  exitLeg,
  expired,
  full,
  hasLimit,
  hasStop,
  isImmediate,
  isOver,
  outOfTime
} from "./matcherCodes.ts"
import {
  firstOrderAt,
  flagsAt,
  candleIndexAt,
  lastOrderAt,
  legAt,
  limitAt,
  nextOrderAt,
  none,
  sideAt,
  timeAt
} from "./matcherLayout.ts"
import { endOrder, sweepOrders, reportEnded } from "./matcherQueue.ts"
import { enterMatcher, hasRoomForCandle, marketAt, ordersStart } from "./matcherRecords.ts"
import { fillOpening } from "./entryFills.ts"
import { fillClose, fillReduction, waitsForExit } from "./exitFills.ts"
import { passesLimit } from "./fillRules.ts"
import { readDouble, readWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { setShowsCandle } from "./passage.ts"
import { lastCloseAt } from "./stageLayout.ts"

/** Whether an order takes the price that there is, now or never. */
export function takesPrice(order: i32): boolean {
  const flags: i32 = readWord(order + flagsAt)
  return (flags & (hasLimit | hasStop)) === 0 || (flags & isImmediate) !== 0
}

/**
 * Whether an order at the market does not fill at this price. An entry may wait for the rest of an
 * exit. Or the price does not pass a limit that holds for this price alone, and the order ends.
 */
export function isPassedOver(market: i32, order: i32, price: f64): boolean {
  const isLate: boolean = readWord(order + legAt) === entryLeg && waitsForExit(market, order)
  if ((readWord(order + flagsAt) & isImmediate) === 0) return isLate
  const side: i32 = readWord(order + sideAt)
  if (!isLate && passesLimit(side, readDouble(order + limitAt), price)) return false
  reportEnded(market, order, expired, outOfTime)
  endOrder(market, order)
  return true
}

/** Fills exits of a market, or its entries, at one price; new lots are live from a candle on. */
export function fillAtMarket(market: i32, isEntries: boolean, price: f64, liveFrom: i32): void {
  const index: i32 = readWord(market + candleIndexAt)
  const time: f64 = readDouble(market + timeAt)
  const last: i32 = readWord(market + lastOrderAt)
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = ordersStart + slot
    slot = slot === last ? none : readWord(order + nextOrderAt)
    const leg: i32 = readWord(order + legAt)
    const isMeant: boolean = isEntries ? leg === entryLeg : leg === exitLeg || leg === closeLeg
    if (!isMeant || (readWord(order + flagsAt) & isOver) !== 0 || !takesPrice(order)) continue
    if (isPassedOver(market, order, price)) continue
    if (leg === entryLeg) fillOpening(market, order, price, index, time, liveFrom, liveFrom)
    else if (leg === closeLeg) fillClose(market, order, price, index, time)
    else fillReduction(market, order, price, index, time)
  }
  sweepOrders(market)
}

/** Fills market orders at the last close: exits, and entries where they are asked for too. */
export function matchClose(at: i32, marketIndexOf: i32, withEntries: i32): i32 {
  enterMatcher(at)
  const market: i32 = marketAt(marketIndexOf)
  const close: f64 = readDouble(market + lastCloseAt)
  // NaN differs from itself.
  if (close !== close || readWord(market + firstOrderAt) === none) return done
  if (!hasRoomForCandle()) return full
  setShowsCandle(false)
  fillAtMarket(market, false, close, 0)
  const next: i32 = readWord(market + candleIndexAt) + 1
  if (withEntries === 1) fillAtMarket(market, true, close, next)
  return done
}
