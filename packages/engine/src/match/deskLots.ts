/**
 * Lots: what an entry opens, and how it is closed, whole or in part.
 *
 * @since 0.1.0
 */
import { greater, magnitude } from "./arithmetic.ts"
import {
  desk,
  freeLot,
  lots,
  nextId,
  orderOf,
  orders,
  takeLot,
  takeOrder,
  takeRow
} from "./desk.ts"
import {
  byBreakEven,
  byStage,
  byStopLoss,
  byTrailingStop,
  closedRow,
  hasLimit,
  hasStop,
  openedRow,
  stopLeg,
  targetLeg
} from "./deskCodes.ts"
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
  indexAt,
  isWatchedAt,
  lastLotAt,
  legAt,
  limitAt,
  liveFromAt,
  lotIdAt,
  lotTagAt,
  marketIndexAt,
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
  turnoverAt,
  timeAt
} from "./deskLayout.ts"
import { cashAfter, fillLimit, passesStop, slip } from "./fillRules.ts"
import { chargedFee, slippageOf } from "./chargedFee.ts"
import {
  rowBestPnlAt,
  rowDirectionAt,
  rowEntryIndexAt,
  rowEntryPriceAt,
  rowEntryTimeAt,
  rowFeeAt,
  rowFeesAt,
  rowIndexAt,
  rowIsWholeAt,
  rowKindAt,
  rowLevelsAt,
  rowLotAt,
  rowMarketAt,
  rowOrderIdAt,
  rowOutcomeAt,
  rowPnlAt,
  rowPriceAt,
  rowQuantityAt,
  rowReasonAt,
  rowStopLossAt,
  rowTagAt,
  rowTakeProfitAt,
  rowTimeAt,
  rowWorstPnlAt
} from "./logLayout.ts"
import { readDouble, readWord, writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { addOtherTarget, clearOthers, endOfPaths, hasOthers, recallOthers } from "./otherPaths.ts"
import { rangeHigh, rangeLow, rangeOpen } from "./passage.ts"
import { lastExitIndexAt, tellsFillsAt, untilAt, wasStoppedAt } from "./stageLayout.ts"
import { endBound, endExits } from "./boundOrders.ts"
import { linkFirst, linkLast, unlink } from "./deskQueue.ts"

/** The largest part of a quantity that rounding may leave of it. */
export const restMax: f64 = 1e-10

/** Moves cash and totals by a fill. */
function bookFill(side: f64, quantity: f64, price: f64, fee: f64): void {
  const notional: f64 = quantity * price
  writeDouble(desk + cashAt, cashAfter(readDouble(desk + cashAt), side * notional, fee))
  writeDouble(desk + feesPaidAt, readDouble(desk + feesPaidAt) + fee)
  writeDouble(desk + turnoverAt, readDouble(desk + turnoverAt) + notional)
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
  writeWord(order + orderLotAt, lot - lots)
  writeWord(order + placedAt, readWord(market + indexAt))
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
  if (known === none || readWord(desk + sequenceAt) !== byStage) return false
  writeWord(market + isWatchedAt, 0)
  return true
}

/** An exit that may be there already: moved, it is as good as new. */
function renewExit(market: i32, lot: i32, known: i32, leg: i32): i32 {
  if (known === none) return makeExit(market, lot, leg)
  const order: i32 = orders + known
  unlink(market, order)
  writeWord(order + orderIdAt, nextId())
  writeWord(order + placedAt, readWord(market + indexAt))
  return order
}

/** Moves the stop of a lot; in a queue a stop comes first. */
export function putStop(market: i32, lot: i32, price: f64): void {
  const known: i32 = readWord(lot + stopOrderAt)
  if (staysInPlace(market, known)) return writeDouble(orders + known + stopAt, price)
  const order: i32 = renewExit(market, lot, known, stopLeg)
  writeWord(order + flagsAt, hasStop)
  writeDouble(order + stopAt, price)
  if (known === none) writeWord(lot + stopReasonAt, byStopLoss)
  writeWord(order + liveFromAt, readWord(lot + stopFromAt))
  writeWord(lot + stopOrderAt, order - orders)
  linkFirst(market, order)
}

/** Moves the target of a lot; in a queue a target comes last. */
export function putTarget(market: i32, lot: i32, price: f64): void {
  const known: i32 = readWord(lot + targetOrderAt)
  if (staysInPlace(market, known)) return writeDouble(orders + known + limitAt, price)
  const order: i32 = renewExit(market, lot, known, targetLeg)
  writeWord(order + flagsAt, hasLimit)
  writeDouble(order + limitAt, price)
  writeWord(order + liveFromAt, readWord(lot + targetFromAt))
  writeWord(lot + targetOrderAt, order - orders)
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
  const side: i32 = readWord(order + sideAt)
  const flags: i32 = readWord(order + flagsAt)
  const fee: f64 = chargedFee(market, quantity, price, (flags & hasLimit) !== 0)
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
  tellOpened(market, lot, order, quantity, price, fee)
  linkLot(market, lot)
  return lot
}

/** Tells of an entry that adds to a lot, or that opens one before the market counts this lot. */
function tellOpened(market: i32, lot: i32, order: i32, quantity: f64, price: f64, fee: f64): void {
  if (readWord(desk + tellsFillsAt) === 0) return
  const row: i32 = takeRow()
  writeWord(row + rowKindAt, openedRow)
  writeWord(row + rowMarketAt, readWord(market + marketIndexAt))
  writeWord(row + rowIndexAt, readWord(market + indexAt))
  writeWord(row + rowLotAt, readWord(lot + lotIdAt))
  writeWord(row + rowOrderIdAt, readWord(order + orderIdAt))
  writeWord(row + rowTagAt, readWord(order + orderTagAt))
  writeWord(row + rowDirectionAt, readWord(order + sideAt))
  writeWord(row + rowIsWholeAt, readWord(market + firstLotAt) === none ? 1 : 0)
  writeDouble(row + rowQuantityAt, quantity)
  writeDouble(row + rowPriceAt, price)
  writeDouble(row + rowTimeAt, readDouble(market + timeAt))
  writeDouble(row + rowFeeAt, fee)
}

/**
 * Merges a fill into the lot of its side: quantities and fees add up, and the entry price is the
 * average. The protective exits of the lot stay where they are.
 */
export function enlargeLot(market: i32, lot: i32, order: i32, quantity: f64, price: f64): void {
  const side: f64 = readWord(order + sideAt)
  const isMaker: boolean = (readWord(order + flagsAt) & hasLimit) !== 0
  const fee: f64 = chargedFee(market, quantity, price, isMaker)
  bookFill(side, quantity, price, fee)
  const held: f64 = magnitude(readDouble(lot + heldAt))
  const whole: f64 = held + quantity
  const cost: f64 = held * readDouble(lot + entryPriceAt) + quantity * price
  writeDouble(lot + heldAt, side * whole)
  writeDouble(lot + entryPriceAt, cost / whole)
  writeDouble(lot + entryFeesAt, readDouble(lot + entryFeesAt) + fee)
  tellOpened(market, lot, order, quantity, price, fee)
}

function linkLot(market: i32, lot: i32): void {
  const slot: i32 = lot - lots
  writeWord(market + isWatchedAt, 0)
  const last: i32 = readWord(market + lastLotAt)
  writeWord(lot + nextLotAt, none)
  writeWord(lot + previousLotAt, last)
  writeWord(market + lastLotAt, slot)
  if (last === none) writeWord(market + firstLotAt, slot)
  else writeWord(lots + last + nextLotAt, slot)
}

function unlinkLot(market: i32, lot: i32): void {
  const previous: i32 = readWord(lot + previousLotAt)
  const next: i32 = readWord(lot + nextLotAt)
  writeWord(market + isWatchedAt, 0)
  if (previous === none) writeWord(market + firstLotAt, next)
  else writeWord(lots + previous + nextLotAt, next)
  if (next === none) writeWord(market + lastLotAt, previous)
  else writeWord(lots + next + previousLotAt, previous)
}

/** Whether its stop closes a lot, wherever that had come to. */
function isByStop(reason: i32): boolean {
  return reason === byStopLoss || reason === byTrailingStop || reason === byBreakEven
}

/**
 * Notes what the target would have given: the stop of a lot closes it on a candle that touched
 * both, and the open had not passed the stop.
 */
function noteTarget(market: i32, lot: i32, side: i32, reason: i32): void {
  const stopOrder: i32 = orderOf(readWord(lot + stopOrderAt))
  const targetOrder: i32 = orderOf(readWord(lot + targetOrderAt))
  if (!isByStop(reason) || stopOrder === none || targetOrder === none) return
  if (passesStop(side, readDouble(stopOrder + stopAt), rangeOpen)) return
  if (readWord(market + indexAt) < readWord(lot + targetFromAt)) return
  const limit: f64 = readDouble(targetOrder + limitAt)
  const price: f64 = fillLimit(side, limit, rangeOpen, rangeHigh, rangeLow)
  // NaN differs from itself.
  if (price === price) addOtherTarget(price)
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
  const held: f64 = readDouble(lot + heldAt)
  const size: f64 = magnitude(held)
  const side: i32 = closingSide(lot)
  const price: f64 = isMaker ? raw : slip(side, raw, slippageOf(market, quantity))
  const fee: f64 = chargedFee(market, quantity, price, isMaker)
  bookFill(side, quantity, price, fee)
  const rest: f64 = held + side * quantity
  const isWhole: boolean = magnitude(rest) <= restMax * greater(size, quantity)
  const paid: f64 = readDouble(lot + entryFeesAt)
  const entryFees: f64 = isWhole ? paid : paid * (quantity / size)
  const fees: f64 = entryFees + fee
  const pnl: f64 = -side * quantity * (price - readDouble(lot + entryPriceAt)) - fees
  writeDouble(desk + realizedPnlAt, readDouble(desk + realizedPnlAt) + pnl)
  if (readWord(desk + sequenceAt) === byStage) recallOthers(lot)
  else noteTarget(market, lot, side, reason)
  const row: i32 = tellClosed(market, lot, side, index, reason)
  writeDouble(row + rowQuantityAt, quantity)
  writeDouble(row + rowPriceAt, price)
  writeDouble(row + rowTimeAt, time)
  writeDouble(row + rowFeesAt, fees)
  writeDouble(row + rowFeeAt, fee)
  writeDouble(row + rowPnlAt, pnl)
  writeWord(row + rowOrderIdAt, orderId)
  tellPaths(market, row, lot, fees - fee)
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
  writeWord(market + lastExitIndexAt, readWord(market + indexAt))
  writeWord(market + wasStoppedAt, isByStop(reason) ? 1 : 0)
}

/** Tells the ends of what the paths through ambiguous candles would have given. */
function tellPaths(market: i32, row: i32, lot: i32, entryFees: f64): void {
  const pnl: f64 = readDouble(row + rowPnlAt)
  writeWord(row + rowOutcomeAt, hasOthers() ? 1 : 0)
  writeDouble(row + rowBestPnlAt, pnl)
  writeDouble(row + rowWorstPnlAt, pnl)
  if (!hasOthers()) return
  const direction: f64 = readWord(row + rowDirectionAt)
  const quantity: f64 = readDouble(row + rowQuantityAt)
  const entryPrice: f64 = readDouble(lot + entryPriceAt)
  const most: f64 = endOfPaths(market, true, pnl, direction, quantity, entryPrice, entryFees)
  const least: f64 = endOfPaths(market, false, pnl, direction, quantity, entryPrice, entryFees)
  writeDouble(row + rowBestPnlAt, most)
  writeDouble(row + rowWorstPnlAt, least)
  clearOthers()
}

/** Tells of a lot that it is closed, as it was before. */
function tellClosed(market: i32, lot: i32, side: i32, index: i32, reason: i32): i32 {
  const row: i32 = takeRow()
  const stopOrder: i32 = orderOf(readWord(lot + stopOrderAt))
  const targetOrder: i32 = orderOf(readWord(lot + targetOrderAt))
  writeWord(row + rowKindAt, closedRow)
  writeWord(row + rowMarketAt, readWord(market + marketIndexAt))
  writeWord(row + rowIndexAt, index)
  writeWord(row + rowReasonAt, reason)
  writeWord(row + rowLotAt, readWord(lot + lotIdAt))
  writeWord(row + rowEntryIndexAt, readWord(lot + entryIndexAt))
  writeWord(row + rowTagAt, readWord(lot + lotTagAt))
  writeWord(row + rowDirectionAt, -side)
  writeWord(row + rowLevelsAt, (stopOrder === none ? 0 : 1) | (targetOrder === none ? 0 : 2))
  writeDouble(row + rowEntryPriceAt, readDouble(lot + entryPriceAt))
  writeDouble(row + rowEntryTimeAt, readDouble(lot + entryTimeAt))
  if (stopOrder !== none) writeDouble(row + rowStopLossAt, readDouble(stopOrder + stopAt))
  if (targetOrder !== none) writeDouble(row + rowTakeProfitAt, readDouble(targetOrder + limitAt))
  return row
}
