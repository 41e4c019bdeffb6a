/**
 * Direct orders: they fill at once, at a price that their host names.
 *
 * A direct order nets with the position of its market. It has one fee, also where it closes a lot
 * and opens another one the other way. Each part of it bears its share of the fee.
 *
 * @since 0.1.0
 */
import { greater, lesser, magnitude } from "./arithmetic.ts"
import { chargedFee } from "./chargedFee.ts"
import { directUnits } from "./directSizes.ts"
import {
  enterMatcher,
  freeOrder,
  hasRoom,
  lotsStart,
  marketAt,
  nextId,
  takeOrder
} from "./matcherRecords.ts"
import { entryLeg, full, hasLimit, hasQuantity } from "./matcherCodes.ts"
import {
  firstLotAt,
  flagsAt,
  heldAt,
  candleIndexAt,
  legAt,
  none,
  orderIdAt,
  orderTagAt,
  quantityAt,
  sideAt,
  slippageRateAt,
  tickAt,
  tickInverseAt,
  timeAt
} from "./matcherLayout.ts"
import { closeLotCharged, enlargeLotCharged, openLotCharged, restMax } from "./matcherLots.ts"
import { sweepOrders } from "./matcherQueue.ts"
import { roundToStep, slip } from "./fillRules.ts"
import { readDouble, readWord, writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"

/** The price of a direct order: a taker's slips, and both lie on the market's tick. */
function directPrice(market: i32, side: i32, raw: f64, isMaker: boolean): f64 {
  const price: f64 = isMaker ? raw : slip(side, raw, readDouble(market + slippageRateAt))
  return roundToStep(price, readDouble(market + tickAt), readDouble(market + tickInverseAt))
}

/** The record of a direct order, outside the queue. */
function makeDirect(side: i32, units: f64, isMaker: boolean, tag: i32): i32 {
  const order: i32 = takeOrder()
  writeDouble(order + quantityAt, units)
  writeWord(order + orderIdAt, nextId())
  writeWord(order + sideAt, side)
  writeWord(order + legAt, entryLeg)
  writeWord(order + flagsAt, hasQuantity | (isMaker ? hasLimit : 0))
  writeWord(order + orderTagAt, tag)
  return order
}

/** Books an order against a lot of the other side, and opens a lot with the rest of it. */
function fillAgainst(market: i32, lot: i32, order: i32, price: f64, fee: f64, reason: i32): void {
  const units: f64 = readDouble(order + quantityAt)
  const size: f64 = magnitude(readDouble(lot + heldAt))
  const index: i32 = readWord(market + candleIndexAt)
  const time: f64 = readDouble(market + timeAt)
  // Parts of a quantity seldom add up to it to the bit: a rest of rounding is none.
  const isEven: boolean = magnitude(size - units) <= restMax * greater(size, units)
  const closed: f64 = isEven ? units : lesser(size, units)
  const exitFee: f64 = closed === units ? fee : fee * (closed / units)
  const id: i32 = readWord(order + orderIdAt)
  closeLotCharged(market, lot, closed, price, exitFee, index, time, reason, id)
  if (closed === units) return
  const rest: f64 = units - closed
  openLotCharged(market, order, rest, price, fee - exitFee, index, time, index, index)
}

/**
 * Fills an order in the candle that is shown, and answers the order's id, or 0 where it trades
 * nothing. The matcher has one lot at most in the market.
 *
 * A maker's order keeps its price, and a taker's slips. The log shows `reason` of the units that
 * the order closes.
 */
export function fillDirect(
  at: i32,
  marketIndex: i32,
  side: i32,
  effect: i32,
  isFraction: i32,
  size: f64,
  raw: f64,
  isMaker: i32,
  least: f64,
  most: f64,
  reason: i32,
  tag: i32
): i32 {
  enterMatcher(at)
  if (!hasRoom(1, 1, 2)) return full
  const market: i32 = marketAt(marketIndex)
  const maker: boolean = isMaker === 1
  const price: f64 = directPrice(market, side, raw, maker)
  if (!(price >= 0) || (price === 0 && side === 1)) return 0
  const slot: i32 = readWord(market + firstLotAt)
  const lot: i32 = slot === none ? none : lotsStart + slot
  const units: f64 = directUnits(
    market,
    lot,
    side,
    effect,
    isFraction === 1,
    size,
    price,
    maker,
    least,
    most
  )
  if (units === 0) return 0
  const fee: f64 = chargedFee(market, units, price, maker)
  const order: i32 = makeDirect(side, units, maker, tag)
  const id: i32 = readWord(order + orderIdAt)
  if (lot === none) {
    const index: i32 = readWord(market + candleIndexAt)
    const time: f64 = readDouble(market + timeAt)
    openLotCharged(market, order, units, price, fee, index, time, index, index)
  } else if (readDouble(lot + heldAt) * side > 0) {
    enlargeLotCharged(market, lot, order, units, price, fee)
  } else fillAgainst(market, lot, order, price, fee, reason)
  freeOrder(order)
  sweepOrders(market)
  return id
}
