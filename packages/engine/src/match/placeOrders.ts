/**
 * The host's work on a matcher between candles: orders placed, moved and cancelled.
 *
 * Each function answers `full` before it changes anything where a record may be lacking.
 *
 * @since 0.1.0
 */
import { magnitude, roundDown } from "./arithmetic.ts"
import {
  enterMatcher,
  hasRoom,
  lotsStart,
  marketAt,
  matcher,
  nextId,
  orderOf,
  ordersStart,
  takeOrder
} from "./matcherRecords.ts"
import {
  askedFor,
  cancelled,
  closeLeg,
  done,
  entryLeg,
  fractionFault,
  full,
  hasLimit,
  hasQuantity,
  hasStop,
  hasStopLoss,
  hasTakeProfit,
  noLevel,
  quantityFault,
  rejected,
  roundsDown,
  stopLossFault,
  stopLossKindAt,
  takeProfitFault,
  takeProfitKindAt
} from "./matcherCodes.ts"
import {
  activationAt,
  breakEvenAt,
  breakEvenOffsetAt,
  closeAt,
  closeCountAt,
  entrySpreadAt,
  expiresAt,
  firstLotAt,
  firstOrderAt,
  flagsAt,
  fractionAt,
  groupAt,
  heldAt,
  candleIndexAt,
  isWatchedAt,
  lastOrderAt,
  legAt,
  levelKindsAt,
  limitAt,
  liveFromAt,
  lotCountAt,
  lotIdAt,
  lotInverseAt,
  lotStepAt,
  nextLotAt,
  nextOrderAt,
  none,
  orderCountAt,
  orderIdAt,
  orderLotAt,
  orderTagAt,
  placedAt,
  portionRoundingAt,
  previousOrderAt,
  quantityAt,
  sideAt,
  stopAt,
  stopLossAt,
  stopOrderAt,
  takeProfitAt,
  trailAt,
  targetOrderAt
} from "./matcherLayout.ts"
import { floorToStep } from "./fillRules.ts"
import { makeExit, putStop, putTarget } from "./matcherLots.ts"
import { readDouble, readWord, writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { untilAt } from "./stageLayout.ts"
import { endOrder, linkFirst, linkLast, sweepOrders, reportEnded } from "./matcherQueue.ts"

/**
 * Places an entry and answers its id, or 0 where it contradicts itself, which the log shows.
 *
 * `flags` say which of the numbers count; of `size` it is the quantity or else the fraction.
 */
export function placeEntry(
  at: i32,
  marketIndex: i32,
  side: i32,
  flags: i32,
  size: f64,
  limit: f64,
  stop: f64,
  stopLoss: f64,
  takeProfit: f64,
  tag: i32
): i32 {
  enterMatcher(at)
  if (!hasRoom(1, 0, 1)) return full
  const market: i32 = marketAt(marketIndex)
  const order: i32 = takeOrder()
  const id: i32 = nextId()
  writeDouble(order + quantityAt, size)
  writeDouble(order + fractionAt, size)
  writeDouble(order + limitAt, limit)
  writeDouble(order + stopAt, stop)
  writeDouble(order + stopLossAt, stopLoss)
  writeDouble(order + takeProfitAt, takeProfit)
  writeWord(order + orderIdAt, id)
  writeWord(order + sideAt, side)
  writeWord(order + legAt, entryLeg)
  writeWord(order + flagsAt, flags)
  writeWord(order + orderLotAt, none)
  writeWord(order + placedAt, readWord(market + candleIndexAt))
  writeWord(order + liveFromAt, 0)
  writeWord(order + orderTagAt, tag)
  writeWord(order + levelKindsAt, 0)
  writeWord(order + expiresAt, none)
  writeWord(order + groupAt, 0)
  writeDouble(order + untilAt, Infinity)
  const fault: i32 = faultOf(market, order, side, flags)
  linkLast(market, order)
  if (fault === 0) return id
  reportEnded(market, order, rejected, fault)
  endOrder(market, order)
  sweepOrders(market)
  return 0
}

/** The order of this id, the newest first, or `none`. */
export function findOrder(market: i32, id: i32): i32 {
  let slot: i32 = readWord(market + lastOrderAt)
  while (slot !== none && readWord(ordersStart + slot + orderIdAt) !== id) {
    slot = readWord(ordersStart + slot + previousOrderAt)
  }
  return orderOf(slot)
}

/**
 * Gives an entry exits that lie beside the price of its fill, or follow the price.
 *
 * `kinds` has the kind of each level; one that is none has no value.
 */
export function attachExits(
  at: i32,
  marketIndex: i32,
  id: i32,
  kinds: i32,
  stopLoss: f64,
  takeProfit: f64,
  trail: f64,
  activation: f64,
  breakEven: f64,
  breakEvenOffset: f64
): void {
  enterMatcher(at)
  const order: i32 = findOrder(marketAt(marketIndex), id)
  if (order === none) return
  let flags: i32 = readWord(order + flagsAt)
  if (((kinds >> stopLossKindAt) & 3) !== noLevel) flags |= hasStopLoss
  if (((kinds >> takeProfitKindAt) & 3) !== noLevel) flags |= hasTakeProfit
  writeWord(order + flagsAt, flags)
  writeWord(order + levelKindsAt, kinds)
  writeDouble(order + stopLossAt, stopLoss)
  writeDouble(order + takeProfitAt, takeProfit)
  writeDouble(order + trailAt, trail)
  writeDouble(order + activationAt, activation)
  writeDouble(order + breakEvenAt, breakEven)
  writeDouble(order + breakEvenOffsetAt, breakEvenOffset)
}

/**
 * Says of an entry after how many candles it ends unfilled, `none` for never, and of which group
 * one is filled, 0 for no group.
 */
export function limitLife(at: i32, marketIndex: i32, id: i32, candles: i32, group: i32): void {
  enterMatcher(at)
  const market: i32 = marketAt(marketIndex)
  const order: i32 = findOrder(market, id)
  if (order === none) return
  writeWord(order + groupAt, group)
  if (candles === none) return
  writeWord(order + expiresAt, readWord(order + placedAt) + candles)
  writeWord(market + isWatchedAt, 0)
}

/** The contradiction in an entry, or 0. */
function faultOf(market: i32, order: i32, side: i32, flags: i32): i32 {
  const size: f64 = readDouble(order + quantityAt)
  const isQuantity: boolean = (flags & hasQuantity) !== 0
  if (!(size > 0)) return isQuantity ? quantityFault : fractionFault
  if (!isQuantity && !(size <= 1)) return fractionFault
  let expected: f64 = readDouble(market + closeAt) * (1 + side * readDouble(market + entrySpreadAt))
  if ((flags & hasStop) !== 0) expected = readDouble(order + stopAt)
  if ((flags & hasLimit) !== 0) expected = readDouble(order + limitAt)
  if ((flags & hasStopLoss) !== 0) {
    const risked: f64 = (expected - readDouble(order + stopLossAt)) * side
    if (!(risked > 0)) return stopLossFault
  }
  if ((flags & hasTakeProfit) === 0) return 0
  const hoped: f64 = (readDouble(order + takeProfitAt) - expected) * side
  return hoped > 0 ? 0 : takeProfitFault
}

/** Cancels the entries of a market but the one of this id; 0 is the id of none. */
export function cancelEntries(at: i32, marketIndex: i32, kept: i32): i32 {
  enterMatcher(at)
  if (!hasRoom(0, 0, readWord(matcher + orderCountAt))) return full
  const market: i32 = marketAt(marketIndex)
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = ordersStart + slot
    slot = readWord(order + nextOrderAt)
    if (readWord(order + legAt) !== entryLeg || readWord(order + orderIdAt) === kept) continue
    reportEnded(market, order, cancelled, askedFor)
    endOrder(market, order)
  }
  sweepOrders(market)
  return done
}

/** Cancels the entry of this id; nothing happens where none rests. */
export function cancelEntry(at: i32, marketIndex: i32, id: i32): i32 {
  enterMatcher(at)
  if (!hasRoom(0, 0, 1)) return full
  const market: i32 = marketAt(marketIndex)
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = ordersStart + slot
    slot = readWord(order + nextOrderAt)
    if (readWord(order + legAt) !== entryLeg || readWord(order + orderIdAt) !== id) continue
    reportEnded(market, order, cancelled, askedFor)
    endOrder(market, order)
  }
  sweepOrders(market)
  return done
}

/** Whether a function that is asked for the lot of an id means this one; 0 means every lot. */
function isMeant(lot: i32, id: i32): boolean {
  return id === 0 || readWord(lot + lotIdAt) === id
}

/** Places market orders that close a portion of the lots meant; they come first in the queue. */
export function closeLotsNext(at: i32, marketIndex: i32, id: i32, portion: f64): i32 {
  enterMatcher(at)
  if (!hasRoom(readWord(matcher + lotCountAt), 0, 0)) return full
  const market: i32 = marketAt(marketIndex)
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    const lot: i32 = lotsStart + slot
    slot = readWord(lot + nextLotAt)
    if (isMeant(lot, id)) closeNext(market, lot, portion)
  }
  return done
}

function closeNext(market: i32, lot: i32, portion: f64): void {
  const size: f64 = magnitude(readDouble(lot + heldAt))
  const quantity: f64 = portion >= 1 ? size : portionOf(market, size, portion)
  if (!(quantity > 0)) return
  const order: i32 = makeExit(market, lot, closeLeg)
  writeWord(order + flagsAt, hasQuantity)
  writeDouble(order + quantityAt, quantity)
  writeWord(market + closeCountAt, readWord(market + closeCountAt) + 1)
  linkFirst(market, order)
}

function portionOf(market: i32, size: f64, portion: f64): f64 {
  const step: f64 = readDouble(market + lotStepAt)
  if (readWord(matcher + portionRoundingAt) === roundsDown || step === 0) {
    return floorToStep(size * portion, step, readDouble(market + lotInverseAt))
  }
  const count: f64 = (size * portion) / step
  const below: f64 = roundDown(count)
  const rest: f64 = count - below
  const isOdd: boolean = below - 2 * roundDown(below / 2) === 1
  const isUp: boolean = rest > 0.5 || (rest === 0.5 && isOdd)
  const lotCount: f64 = isUp ? below + 1 : below
  return lotCount < 1 ? step : lotCount * step
}

/** Moves the stop of the lots meant. */
export function moveStops(at: i32, marketIndex: i32, id: i32, price: f64): i32 {
  enterMatcher(at)
  if (!hasRoom(readWord(matcher + lotCountAt), 0, 0)) return full
  const market: i32 = marketAt(marketIndex)
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    const lot: i32 = lotsStart + slot
    slot = readWord(lot + nextLotAt)
    if (isMeant(lot, id)) putStop(market, lot, price)
  }
  return done
}

/** Moves the target of the lots meant. */
export function moveTargets(at: i32, marketIndex: i32, id: i32, price: f64): i32 {
  enterMatcher(at)
  if (!hasRoom(readWord(matcher + lotCountAt), 0, 0)) return full
  const market: i32 = marketAt(marketIndex)
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    const lot: i32 = lotsStart + slot
    slot = readWord(lot + nextLotAt)
    if (isMeant(lot, id)) putTarget(market, lot, price)
  }
  return done
}

/** Takes the stop of the lots meant away. */
export function dropStops(at: i32, marketIndex: i32, id: i32): void {
  enterMatcher(at)
  dropExits(marketAt(marketIndex), id, stopOrderAt)
}

/** Takes the target of the lots meant away. */
export function dropTargets(at: i32, marketIndex: i32, id: i32): void {
  enterMatcher(at)
  dropExits(marketAt(marketIndex), id, targetOrderAt)
}

function dropExits(market: i32, id: i32, exitAt: i32): void {
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    const lot: i32 = lotsStart + slot
    slot = readWord(lot + nextLotAt)
    const order: i32 = orderOf(readWord(lot + exitAt))
    if (order === none || !isMeant(lot, id)) continue
    writeWord(lot + exitAt, none)
    endOrder(market, order)
  }
  sweepOrders(market)
}
