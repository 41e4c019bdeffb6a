/**
 * Fills of orders that rest, inside the candle that is shown: which of them come first.
 *
 * @since 0.1.0
 */
import { magnitude } from "./arithmetic.ts"
import { matcher, ordersStart } from "./matcherRecords.ts"
import {
  endsWithPosition,
  entryLeg,
  exitLeg,
  hasLimit,
  hasStop,
  isImmediate,
  isOver,
  isTriggered
} from "./matcherCodes.ts"
import {
  firstLotAt,
  firstOrderAt,
  flagsAt,
  groupAt,
  candleIndexAt,
  lastOrderAt,
  legAt,
  nextOrderAt,
  none,
  sideAt,
  timeAt
} from "./matcherLayout.ts"
import { sweepOrders } from "./matcherQueue.ts"
import { isDetailed, priceAsked, priceInside, reachedIn, showCandle } from "./detailOrder.ts"
import { passesStop } from "./fillRules.ts"
import { isFarther } from "./levelRules.ts"
import { restingPrice } from "./restingPrice.ts"
import { readDouble, readWord, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { rangeHigh, rangeLow, rangeOpen } from "./passage.ts"
import { netHeld, ruinOf } from "./quietCandle.ts"
import { fillOpening } from "./entryFills.ts"
import { fillReduction, waitsForExit } from "./exitFills.ts"
import { ambiguousCountAt, isHeldAt } from "./stageLayout.ts"

// Whether the candle leaves open in which order it reaches two of the prices that were asked for.
let isDoubtful: boolean = false

/** Whether a doubt was found since this was asked last. */
export function takeDoubt(): boolean {
  const found: boolean = isDoubtful
  isDoubtful = false
  return found
}

/**
 * Whether an order comes before the touches of the shorter candle of this number. Without shorter
 * candles the number is below 0, and the order comes later: the candle does not show it.
 */
function isEarlier(market: i32, order: i32, than: i32): boolean {
  const at: i32 = than < 0 ? than : reachedIn(market, order)
  if (at === than) isDoubtful = true
  return at < than
}

/** Fills an exit inside the candle. */
function reduceInside(market: i32, order: i32, price: f64): void {
  const index: i32 = readWord(market + candleIndexAt)
  fillReduction(market, order, price, index, readDouble(market + timeAt))
}

/**
 * Fills an entry inside the candle. The stop and the target of its lot are live from the next one
 * on.
 */
function enterInside(market: i32, order: i32, price: f64): void {
  const index: i32 = readWord(market + candleIndexAt)
  const next: i32 = index + 1
  fillOpening(market, order, price, index, readDouble(market + timeAt), next, next)
}

/** Whether an order of a leg waits for a price. */
function waitsForPrice(order: i32, leg: i32): boolean {
  const flags: i32 = readWord(order + flagsAt)
  if (readWord(order + legAt) !== leg || (flags & (isOver | isImmediate)) !== 0) return false
  return (flags & (hasLimit | hasStop)) !== 0
}

/** Whether an entry waits for a price, and for no exit before it. */
function mayEnter(market: i32, order: i32): boolean {
  return waitsForPrice(order, entryLeg) && !waitsForExit(market, order)
}

/** Whether an order that waits is a limit, or has become one. */
function isLimit(order: i32): boolean {
  const flags: i32 = readWord(order + flagsAt)
  return (flags & hasLimit) !== 0 && (flags & (hasStop | isTriggered)) !== hasStop
}

/** The price of an exit that waits and that the candle reaches, or NaN; nothing is triggered. */
export function exitPriceAsked(market: i32, order: i32): f64 {
  return waitsForPrice(order, exitLeg) ? priceAsked(market, order) : NaN
}

/** Whether the candle reaches exits at its open, or else after it. */
export function hasReachedExit(market: i32, isAtOpen: boolean): boolean {
  showCandle(market)
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = ordersStart + slot
    slot = readWord(order + nextOrderAt)
    const price: f64 = exitPriceAsked(market, order)
    // NaN differs from itself.
    if (price === price && (price === rangeOpen) === isAtOpen) return true
  }
  return false
}

/** Fills the exits that the open has passed: they come before all inside the candle. */
export function fillPassedExits(market: i32): void {
  showCandle(market)
  const last: i32 = readWord(market + lastOrderAt)
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = ordersStart + slot
    slot = slot === last ? none : readWord(order + nextOrderAt)
    if (exitPriceAsked(market, order) === rangeOpen) {
      reduceInside(market, order, restingPrice(market, order))
    }
  }
  sweepOrders(market)
}

/** Triggers the stops of exits that become limits on the next candle. */
export function triggerExits(market: i32): void {
  showCandle(market)
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = ordersStart + slot
    slot = readWord(order + nextOrderAt)
    if (waitsForPrice(order, exitLeg)) restingPrice(market, order)
  }
}

/**
 * The price of an addition that fills before an exit of this price inside the candle, or NaN.
 *
 * An order that the open has passed fills at the open. A limit between the open and a stop comes
 * first, and so does a stop between the open and a target. Of orders on both sides of the open
 * shorter candles show: `exitAt` is the number of the one that makes the exit, or below 0.
 */
function priceBefore(
  market: i32,
  order: i32,
  side: f64,
  exit: f64,
  isTarget: boolean,
  exitAt: i32
): f64 {
  if (!waitsForPrice(order, entryLeg) || readWord(order + sideAt) !== side) return NaN
  const flags: i32 = readWord(order + flagsAt)
  if ((flags & endsWithPosition) === 0) return NaN
  const isAtLimit: boolean = isLimit(order)
  // A stop with a limit is triggered where it is asked for its price.
  if (!isAtLimit && (flags & hasLimit) !== 0) return NaN
  const price: f64 = restingPrice(market, order)
  if (price === rangeOpen) return price
  // NaN differs from itself.
  if (price !== price) return NaN
  if (isAtLimit !== isTarget) {
    return isFarther(price, exit, isAtLimit ? side : -side) ? price : NaN
  }
  return isEarlier(market, order, exitAt) ? priceInside : NaN
}

/**
 * Fills the additions of a side that come before an exit inside the candle, on each path through
 * it. Answers the price of the exit, which is a liquidation where they have brought one nearer.
 */
export function fillAdditionsBefore(
  market: i32,
  side: f64,
  exit: f64,
  isTarget: boolean,
  exitAt: i32
): f64 {
  showCandle(market)
  const last: i32 = readWord(market + lastOrderAt)
  const worst: f64 = side === 1 ? rangeLow : rangeHigh
  let price: f64 = exit
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = ordersStart + slot
    slot = slot === last ? none : readWord(order + nextOrderAt)
    const fill: f64 = priceBefore(market, order, side, price, isTarget, exitAt)
    // NaN differs from itself.
    if (fill !== fill) continue
    writeWord(matcher + isHeldAt, 1)
    enterInside(market, order, fill)
    const ruin: f64 = ruinOf(market)
    if (!(netHeld(market) * side > 0) || ruin !== ruin) continue
    if (isTarget ? passesStop(-side, ruin, worst) : isFarther(ruin, price, side)) price = ruin
  }
  return price
}

/** Whether the price comes by `price` before it comes by `than`, wherever it goes from the open. */
function comesBefore(price: f64, than: f64): boolean {
  const away: f64 = price - rangeOpen
  const awayOfThan: f64 = than - rangeOpen
  if (awayOfThan === 0) return false
  if (away === 0) return true
  return away > 0 === awayOfThan > 0 && magnitude(away) < magnitude(awayOfThan)
}

function fillEntry(market: i32, order: i32, price: f64): void {
  const isHeld: boolean = readWord(market + firstLotAt) !== none
  if (isHeld && price !== rangeOpen) writeWord(matcher + isHeldAt, 1)
  enterInside(market, order, price)
}

/**
 * Fills an entry, or one of its group that comes before it. Orders that the open has passed come
 * first, then the nearest to the open on its side. Between both sides of the open shorter candles
 * decide, else the order of naming, and the candle is counted as ambiguous. One that is refused
 * leaves the others.
 */
function fillFirstOfGroup(market: i32, order: i32, price: f64, last: i32): void {
  const group: i32 = readWord(order + groupAt)
  while ((readWord(order + flagsAt) & isOver) === 0) {
    let first: i32 = order
    let firstPrice: f64 = price
    let firstAt: i32 = isDetailed(market) ? reachedIn(market, order) : -1
    let firstInside: f64 = priceInside
    let isOpposed: boolean = false
    let isTied: boolean = false
    let slot: i32 =
      group === 0 || order - ordersStart === last ? none : readWord(order + nextOrderAt)
    while (slot !== none) {
      const other: i32 = ordersStart + slot
      slot = slot === last ? none : readWord(other + nextOrderAt)
      if (readWord(other + groupAt) !== group || !mayEnter(market, other)) continue
      const otherPrice: f64 = priceAsked(market, other)
      // NaN differs from itself.
      if (otherPrice !== otherPrice) continue
      const at: i32 = firstAt < 0 ? -1 : reachedIn(market, other)
      if ((otherPrice - rangeOpen) * (price - rangeOpen) < 0) {
        isOpposed = true
        if (at === firstAt) isTied = true
      }
      if (at === firstAt ? !comesBefore(otherPrice, firstPrice) : at > firstAt) continue
      if (at < firstAt) isTied = false
      first = other
      firstPrice = otherPrice
      firstAt = at
      firstInside = priceInside
    }
    if (isTied && firstPrice !== rangeOpen) {
      writeWord(matcher + ambiguousCountAt, readWord(matcher + ambiguousCountAt) + 1)
    }
    // Where the shorter candles are not all there, none of them reaches the order.
    const isTold: boolean = isOpposed && firstAt >= 0 && firstInside === firstInside
    if (isTold) firstPrice = firstInside
    fillEntry(market, first, firstPrice)
  }
}

/** Fills the entries that rest at a price which the candle reaches. */
export function fillRestingEntries(market: i32): void {
  showCandle(market)
  const last: i32 = readWord(market + lastOrderAt)
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = ordersStart + slot
    slot = slot === last ? none : readWord(order + nextOrderAt)
    if (!mayEnter(market, order)) continue
    const price: f64 = restingPrice(market, order)
    // NaN differs from itself.
    if (price === price) fillFirstOfGroup(market, order, price, last)
  }
  sweepOrders(market)
}

/** Fills an exit that the candle reaches inside, after the additions that come before it. */
export function fillExitInside(market: i32, order: i32, price: f64): void {
  showCandle(market)
  // A stop with a limit rests as a limit with the rest that its candle leaves.
  restingPrice(market, order)
  if (readWord(market + firstLotAt) !== none) writeWord(matcher + isHeldAt, 1)
  const side: f64 = -readWord(order + sideAt)
  const isTarget: boolean = isFarther(price, rangeOpen, side)
  if (isTarget) {
    const at: i32 = isDetailed(market) ? reachedIn(market, order) : -1
    fillAdditionsBefore(market, side, price, true, at)
  }
  // An addition of its group may have ended it.
  if ((readWord(order + flagsAt) & isOver) === 0) reduceInside(market, order, price)
  sweepOrders(market)
}

/** Whether the candle reaches orders of a group on both sides of its open. */
function isOpposed(market: i32, order: i32, price: f64): boolean {
  const group: i32 = readWord(order + groupAt)
  if (group === 0) return false
  for (let slot: i32 = readWord(order + nextOrderAt); slot !== none;) {
    const other: i32 = ordersStart + slot
    slot = readWord(other + nextOrderAt)
    if (readWord(other + groupAt) !== group || !mayEnter(market, other)) continue
    // NaN is below no number.
    if ((priceAsked(market, other) - rangeOpen) * (price - rangeOpen) < 0) return true
  }
  return false
}

/**
 * Whether the order may matter in which the candle reaches additions and entries. Lots count here
 * that are closed inside it at a stop, or at a target.
 */
export function mayBeDoubtful(market: i32, isStopped: boolean, isTargeted: boolean): boolean {
  showCandle(market)
  let hasExit: boolean = false
  let hasLimitAddition: boolean = false
  let hasStopAddition: boolean = false
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = ordersStart + slot
    slot = readWord(order + nextOrderAt)
    const isExit: boolean = waitsForPrice(order, exitLeg)
    if (!isExit && !waitsForPrice(order, entryLeg)) continue
    const price: f64 = priceAsked(market, order)
    // NaN differs from itself.
    if (price !== price || price === rangeOpen) continue
    if (isExit) hasExit = true
    else if (isOpposed(market, order, price)) return true
    else if ((readWord(order + flagsAt) & endsWithPosition) === 0) continue
    else if (isLimit(order)) hasLimitAddition = true
    else hasStopAddition = true
  }
  if (isStopped && hasStopAddition) return true
  return hasLimitAddition && (isTargeted || hasExit)
}
