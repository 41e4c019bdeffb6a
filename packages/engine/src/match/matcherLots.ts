/**
 * Lots: an entry opens one, and exits close it, whole or in part.
 *
 * @since 0.1.0
 */
import { greater, magnitude } from "./arithmetic.ts"
import {
  freeLot,
  lotsStart,
  matcher,
  nextId,
  ordersStart,
  takeLot,
  takeOrder
} from "./matcherRecords.ts"
import { byStage, byStopLoss, hasLimit, hasStop, stopLeg, targetLeg } from "./matcherCodes.ts"
import {
  cashAt,
  entryFeesAt,
  entryIndexAt,
  entryPriceAt,
  entryTimeAt,
  expiresAt,
  feesPaidAt,
  firstLotAt,
  flagsAt,
  groupAt,
  heldAt,
  candleIndexAt,
  isWatchedAt,
  lastLotAt,
  legAt,
  limitAt,
  liveFromAt,
  lotIdAt,
  lotTagAt,
  movesAt,
  nextLotAt,
  none,
  orderIdAt,
  orderLotAt,
  orderTagAt,
  placedAt,
  previousLotAt,
  realizedPnlAt,
  sequenceAt,
  sideAt,
  stopAt,
  stopFromAt,
  stopOrderAt,
  stopReasonAt,
  targetFromAt,
  targetOrderAt,
  timeAt,
  turnoverAt
} from "./matcherLayout.ts"
import { cashAfter, slip } from "./fillRules.ts"
import { chargedFee, slippageOf } from "./chargedFee.ts"
import {
  rowFeeAt,
  rowFeesAt,
  rowIsWholeAt,
  rowOrderIdAt,
  rowPnlAt,
  rowPriceAt,
  rowQuantityAt,
  rowTimeAt
} from "./logLayout.ts"
import { readDouble, readWord, writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { recallOthers } from "./otherPaths.ts"
import { lastExitIndexAt, untilAt, wasStoppedAt } from "./stageLayout.ts"
import { endBound, endExits } from "./boundOrders.ts"
import { linkFirst, linkLast, unlink } from "./matcherQueue.ts"
import { isByStop, noteTarget, reportClosed, reportOpened, reportPaths } from "./reportLots.ts"

/** The largest part of a quantity that rounding may leave of it. */
export const restMax: f64 = 1e-10

/** Moves cash and totals by a fill. */
function bookFill(side: f64, quantity: f64, price: f64, fee: f64): void {
  const notional: f64 = quantity * price
  writeDouble(matcher + cashAt, cashAfter(readDouble(matcher + cashAt), side * notional, fee))
  writeDouble(matcher + feesPaidAt, readDouble(matcher + feesPaidAt) + fee)
  writeDouble(matcher + turnoverAt, readDouble(matcher + turnoverAt) + notional)
}

/** The side that closes a lot. */
export function closingSide(lot: i32): i32 {
  return readDouble(lot + heldAt) > 0 ? -1 : 1
}

/** An exit of a lot, outside the queue. */
export function makeExit(market: i32, lot: i32, leg: i32): i32 {
  const order: i32 = takeOrder()
  writeWord(order + orderIdAt, nextId())
  writeWord(order + sideAt, closingSide(lot))
  writeWord(order + legAt, leg)
  writeWord(order + flagsAt, 0)
  writeWord(order + orderLotAt, lot - lotsStart)
  writeWord(order + placedAt, readWord(market + candleIndexAt))
  writeWord(order + liveFromAt, 0)
  writeWord(order + expiresAt, none)
  writeWord(order + groupAt, 0)
  writeDouble(order + untilAt, Infinity)
  writeWord(order + orderTagAt, readWord(lot + lotTagAt))
  return order
}

/**
 * Whether an exit moves in its place: with stages the order of the queue does not count, and a pass
 * goes on behind the exit.
 */
function staysInPlace(market: i32, known: i32): boolean {
  if (known === none || readWord(matcher + sequenceAt) !== byStage) return false
  writeWord(market + isWatchedAt, 0)
  return true
}

/** An exit that may be there already: moved, it is as good as new. */
function renewExit(market: i32, lot: i32, known: i32, leg: i32): i32 {
  if (known === none) return makeExit(market, lot, leg)
  const order: i32 = ordersStart + known
  unlink(market, order)
  writeWord(order + orderIdAt, nextId())
  writeWord(order + placedAt, readWord(market + candleIndexAt))
  return order
}

/** Moves the stop of a lot; in a queue a stop comes first. */
export function putStop(market: i32, lot: i32, price: f64): void {
  const known: i32 = readWord(lot + stopOrderAt)
  if (staysInPlace(market, known)) return writeDouble(ordersStart + known + stopAt, price)
  const order: i32 = renewExit(market, lot, known, stopLeg)
  writeWord(order + flagsAt, hasStop)
  writeDouble(order + stopAt, price)
  if (known === none) writeWord(lot + stopReasonAt, byStopLoss)
  writeWord(order + liveFromAt, readWord(lot + stopFromAt))
  writeWord(lot + stopOrderAt, order - ordersStart)
  linkFirst(market, order)
}

/** Moves the target of a lot; in a queue a target comes last. */
export function putTarget(market: i32, lot: i32, price: f64): void {
  const known: i32 = readWord(lot + targetOrderAt)
  if (staysInPlace(market, known)) return writeDouble(ordersStart + known + limitAt, price)
  const order: i32 = renewExit(market, lot, known, targetLeg)
  writeWord(order + flagsAt, hasLimit)
  writeDouble(order + limitAt, price)
  writeWord(order + liveFromAt, readWord(lot + targetFromAt))
  writeWord(lot + targetOrderAt, order - ordersStart)
  linkLast(market, order)
}

/** Opens a lot by an order, at a price that costs have worsened; nothing protects it yet. */
export function openLot(
  market: i32,
  order: i32,
  quantity: f64,
  price: f64,
  index: i32,
  time: f64,
  stopFrom: i32,
  targetFrom: i32
): i32 {
  const isMaker: boolean = (readWord(order + flagsAt) & hasLimit) !== 0
  const fee: f64 = chargedFee(market, quantity, price, isMaker)
  return openLotCharged(market, order, quantity, price, fee, index, time, stopFrom, targetFrom)
}

/** Opens a lot as `openLot` does, for a fee that is known. */
export function openLotCharged(
  market: i32,
  order: i32,
  quantity: f64,
  price: f64,
  fee: f64,
  index: i32,
  time: f64,
  stopFrom: i32,
  targetFrom: i32
): i32 {
  const side: i32 = readWord(order + sideAt)
  bookFill(side, quantity, price, fee)
  const lot: i32 = takeLot()
  writeDouble(lot + heldAt, side * quantity)
  writeDouble(lot + entryPriceAt, price)
  writeDouble(lot + entryTimeAt, time)
  writeDouble(lot + entryFeesAt, fee)
  writeWord(lot + lotIdAt, readWord(order + orderIdAt))
  writeWord(lot + entryIndexAt, index)
  writeWord(lot + lotTagAt, readWord(order + orderTagAt))
  writeWord(lot + stopOrderAt, none)
  writeWord(lot + targetOrderAt, none)
  writeWord(lot + stopFromAt, stopFrom)
  writeWord(lot + targetFromAt, targetFrom)
  writeWord(lot + movesAt, 0)
  reportOpened(market, lot, order, quantity, price, fee, index, time)
  linkLot(market, lot)
  return lot
}

/**
 * Merges a fill into the lot of its side: quantities and fees add up, and the entry price is the
 * average. The protective exits of the lot stay where they are.
 */
export function enlargeLot(market: i32, lot: i32, order: i32, quantity: f64, price: f64): void {
  const isMaker: boolean = (readWord(order + flagsAt) & hasLimit) !== 0
  const fee: f64 = chargedFee(market, quantity, price, isMaker)
  enlargeLotCharged(market, lot, order, quantity, price, fee)
}

/** Merges a fill into a lot as `enlargeLot` does, for a fee that is known. */
export function enlargeLotCharged(
  market: i32,
  lot: i32,
  order: i32,
  quantity: f64,
  price: f64,
  fee: f64
): void {
  const side: f64 = readWord(order + sideAt)
  bookFill(side, quantity, price, fee)
  const held: f64 = magnitude(readDouble(lot + heldAt))
  const whole: f64 = held + quantity
  const cost: f64 = held * readDouble(lot + entryPriceAt) + quantity * price
  writeDouble(lot + heldAt, side * whole)
  writeDouble(lot + entryPriceAt, cost / whole)
  writeDouble(lot + entryFeesAt, readDouble(lot + entryFeesAt) + fee)
  const index: i32 = readWord(market + candleIndexAt)
  reportOpened(market, lot, order, quantity, price, fee, index, readDouble(market + timeAt))
}

function linkLot(market: i32, lot: i32): void {
  const slot: i32 = lot - lotsStart
  writeWord(market + isWatchedAt, 0)
  const last: i32 = readWord(market + lastLotAt)
  writeWord(lot + nextLotAt, none)
  writeWord(lot + previousLotAt, last)
  writeWord(market + lastLotAt, slot)
  if (last === none) writeWord(market + firstLotAt, slot)
  else writeWord(lotsStart + last + nextLotAt, slot)
}

function unlinkLot(market: i32, lot: i32): void {
  const previous: i32 = readWord(lot + previousLotAt)
  const next: i32 = readWord(lot + nextLotAt)
  writeWord(market + isWatchedAt, 0)
  if (previous === none) writeWord(market + firstLotAt, next)
  else writeWord(lotsStart + previous + nextLotAt, next)
  if (next === none) writeWord(market + lastLotAt, previous)
  else writeWord(lotsStart + next + previousLotAt, previous)
}

/**
 * Closes units of a lot at a raw price, no more than it has; `orderId` is that of the exit, or 0.
 *
 * Parts of a quantity seldom add up to it to the bit, so a rest of rounding is none.
 */
export function closeLot(
  market: i32,
  lot: i32,
  quantity: f64,
  raw: f64,
  index: i32,
  time: f64,
  reason: i32,
  isMaker: boolean,
  orderId: i32
): void {
  const price: f64 = isMaker ? raw : slip(closingSide(lot), raw, slippageOf(market, quantity))
  const fee: f64 = chargedFee(market, quantity, price, isMaker)
  closeLotCharged(market, lot, quantity, price, fee, index, time, reason, orderId)
}

/** Closes units of a lot as `closeLot` does, at a price and for a fee that are known. */
export function closeLotCharged(
  market: i32,
  lot: i32,
  quantity: f64,
  price: f64,
  fee: f64,
  index: i32,
  time: f64,
  reason: i32,
  orderId: i32
): void {
  const held: f64 = readDouble(lot + heldAt)
  const size: f64 = magnitude(held)
  const side: i32 = closingSide(lot)
  bookFill(side, quantity, price, fee)
  const rest: f64 = held + side * quantity
  const isWhole: boolean = magnitude(rest) <= restMax * greater(size, quantity)
  const paid: f64 = readDouble(lot + entryFeesAt)
  const entryFees: f64 = isWhole ? paid : paid * (quantity / size)
  const fees: f64 = entryFees + fee
  const pnl: f64 = -side * quantity * (price - readDouble(lot + entryPriceAt)) - fees
  writeDouble(matcher + realizedPnlAt, readDouble(matcher + realizedPnlAt) + pnl)
  if (readWord(matcher + sequenceAt) === byStage) recallOthers(lot)
  else noteTarget(market, lot, side, reason)
  const row: i32 = reportClosed(market, lot, side, index, reason)
  writeDouble(row + rowQuantityAt, quantity)
  writeDouble(row + rowPriceAt, price)
  writeDouble(row + rowTimeAt, time)
  writeDouble(row + rowFeesAt, fees)
  writeDouble(row + rowFeeAt, fee)
  writeDouble(row + rowPnlAt, pnl)
  writeWord(row + rowOrderIdAt, orderId)
  reportPaths(market, row, lot, fees - fee)
  if (!isWhole) {
    writeDouble(lot + heldAt, rest)
    writeDouble(lot + entryFeesAt, paid - entryFees)
    writeWord(row + rowIsWholeAt, 0)
    return
  }
  endExits(market, lot)
  unlinkLot(market, lot)
  freeLot(lot)
  endBound(market, -side)
  const isEmpty: boolean = readWord(market + firstLotAt) === none
  writeWord(row + rowIsWholeAt, isEmpty ? 1 : 0)
  if (!isEmpty) return
  writeWord(market + lastExitIndexAt, readWord(market + candleIndexAt))
  writeWord(market + wasStoppedAt, isByStop(reason) ? 1 : 0)
}
