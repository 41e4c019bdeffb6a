/**
 * Fills of orders that rest, inside the candle that is shown: which of them come first.
 *
 * @since 0.1.0
 */
import { magnitude } from "./arithmetic.ts"
import { desk, orders } from "./deskRecords.ts"
import {
  endsWithPosition,
  entryLeg,
  exitLeg,
  hasLimit,
  hasStop,
  isImmediate,
  isOver,
  isTriggered
} from "./deskCodes.ts"
import {
  firstLotAt,
  firstOrderAt,
  flagsAt,
  groupAt,
  highAt,
  indexAt,
  isWatchedAt,
  lastOrderAt,
  legAt,
  liveFromAt,
  lowAt,
  nextOrderAt,
  none,
  openAt,
  sideAt,
  timeAt
} from "./deskLayout.ts"
import { sweepOrders } from "./deskQueue.ts"
import { passesStop } from "./fillRules.ts"
import { isFarther } from "./levelRules.ts"
import { restingPrice } from "./restingPrice.ts"
import { readDouble, readWord, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { rangeHigh, rangeLow, rangeOpen, setRange } from "./passage.ts"
import { netHeld, ruinOf } from "./quietCandle.ts"
import { fillOpening } from "./entryFills.ts"
import { fillReduction, waitsForExit } from "./exitFills.ts"
import { ambiguousCountAt, isHeldAt, ownOrderCountAt } from "./stageLayout.ts"

/** Resting orders are shown the whole candle of a market. */
function showCandle(market: i32): void {
  setRange(readDouble(market + openAt), readDouble(market + highAt), readDouble(market + lowAt))
}

/** Fills an exit inside the candle. */
function reduceInside(market: i32, order: i32, price: f64): void {
  const index: i32 = readWord(market + indexAt)
  fillReduction(market, order, price, index, readDouble(market + timeAt))
}

/** Fills an entry inside the candle; what protects its lot is live from the next one on. */
function enterInside(market: i32, order: i32, price: f64): void {
  const index: i32 = readWord(market + indexAt)
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

/** The price of a limit exit that the open has passed, or NaN. */
function passedExitPrice(market: i32, order: i32): f64 {
  if (!waitsForPrice(order, exitLeg) || !isLimit(order)) return NaN
  const price: f64 = restingPrice(market, order)
  return price === rangeOpen ? price : NaN
}

/** Whether the open has passed a limit exit. */
export function hasPassedExit(market: i32): boolean {
  showCandle(market)
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = orders + slot
    slot = readWord(order + nextOrderAt)
    const price: f64 = passedExitPrice(market, order)
    if (price === price) return true
  }
  return false
}

/** Fills the limit exits that the open has passed: they come before all inside the candle. */
export function fillPassedExits(market: i32): void {
  showCandle(market)
  const last: i32 = readWord(market + lastOrderAt)
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = orders + slot
    slot = slot === last ? none : readWord(order + nextOrderAt)
    const price: f64 = passedExitPrice(market, order)
    if (price === price) reduceInside(market, order, price)
  }
  sweepOrders(market)
}

/**
 * The price of an addition that fills before an exit of this price inside the candle, or NaN.
 *
 * One that the open has passed fills at the open. A limit between the open and the exit comes
 * first, targets aside, and so does a stop between the open and a target.
 */
function priceBefore(market: i32, order: i32, side: f64, exit: f64, isTarget: boolean): f64 {
  if (!waitsForPrice(order, entryLeg) || readWord(order + sideAt) !== side) return NaN
  const flags: i32 = readWord(order + flagsAt)
  if ((flags & endsWithPosition) === 0) return NaN
  const isAtLimit: boolean = isLimit(order)
  // A stop with a limit is triggered where it is asked for its price.
  if (!isAtLimit && (flags & hasLimit) !== 0) return NaN
  const price: f64 = restingPrice(market, order)
  if (price === rangeOpen) return price
  // NaN is farther than nothing.
  if (isAtLimit) return !isTarget && isFarther(price, exit, side) ? price : NaN
  return isFarther(exit, price, side) ? price : NaN
}

/**
 * Whether the candle reaches the stop of an addition to a side: whether it does so before a
 * protective stop that it reaches too, it does not tell.
 */
export function reachesStopAddition(market: i32, side: f64): boolean {
  if (readWord(market + ownOrderCountAt) === 0) return false
  showCandle(market)
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = orders + slot
    slot = readWord(order + nextOrderAt)
    if (!waitsForPrice(order, entryLeg) || readWord(order + sideAt) !== side) continue
    if (isLimit(order) || (readWord(order + flagsAt) & endsWithPosition) === 0) continue
    const price: f64 = priceAsked(market, order)
    // NaN differs from itself.
    if (price === price) return true
  }
  return false
}

/**
 * Fills the additions of a side that come before an exit inside the candle, on each path through
 * it. Answers the price of the exit, which is a liquidation where they have brought one nearer.
 */
export function fillAdditionsBefore(market: i32, side: f64, exit: f64, isTarget: boolean): f64 {
  showCandle(market)
  const last: i32 = readWord(market + lastOrderAt)
  const worst: f64 = side === 1 ? rangeLow : rangeHigh
  let price: f64 = exit
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = orders + slot
    slot = slot === last ? none : readWord(order + nextOrderAt)
    const fill: f64 = priceBefore(market, order, side, price, isTarget)
    // NaN differs from itself.
    if (fill !== fill) continue
    writeWord(desk + isHeldAt, 1)
    enterInside(market, order, fill)
    const ruin: f64 = ruinOf(market)
    if (!(netHeld(market) * side > 0) || ruin !== ruin) continue
    if (isTarget ? passesStop(-side, ruin, worst) : isFarther(ruin, price, side)) price = ruin
  }
  return price
}

/** The price that an order would fill at; nothing is triggered by the question. */
function priceAsked(market: i32, order: i32): f64 {
  const flags: i32 = readWord(order + flagsAt)
  const liveFrom: i32 = readWord(order + liveFromAt)
  const isWatched: i32 = readWord(market + isWatchedAt)
  const price: f64 = restingPrice(market, order)
  writeWord(order + flagsAt, flags)
  writeWord(order + liveFromAt, liveFrom)
  writeWord(market + isWatchedAt, isWatched)
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
  if (isHeld && price !== rangeOpen) writeWord(desk + isHeldAt, 1)
  enterInside(market, order, price)
}

/**
 * Fills an entry, or one of its group that comes before it: what the open has passed, then what is
 * nearest to the open on its side. Between both sides of the open the order of naming decides, and
 * the candle is counted as ambiguous. One that is refused leaves the others.
 */
function fillFirstOfGroup(market: i32, order: i32, price: f64, last: i32): void {
  const group: i32 = readWord(order + groupAt)
  while ((readWord(order + flagsAt) & isOver) === 0) {
    let first: i32 = order
    let firstPrice: f64 = price
    let isDoubtful: boolean = false
    let slot: i32 = group === 0 || order - orders === last ? none : readWord(order + nextOrderAt)
    while (slot !== none) {
      const other: i32 = orders + slot
      slot = slot === last ? none : readWord(other + nextOrderAt)
      if (readWord(other + groupAt) !== group || !mayEnter(market, other)) continue
      const otherPrice: f64 = priceAsked(market, other)
      // NaN differs from itself.
      if (otherPrice !== otherPrice) continue
      if ((otherPrice - rangeOpen) * (price - rangeOpen) < 0) isDoubtful = true
      if (!comesBefore(otherPrice, firstPrice)) continue
      first = other
      firstPrice = otherPrice
    }
    if (isDoubtful && firstPrice !== rangeOpen) {
      writeWord(desk + ambiguousCountAt, readWord(desk + ambiguousCountAt) + 1)
    }
    fillEntry(market, first, firstPrice)
  }
}

/** Fills the entries that rest at a price which the candle reaches. */
export function fillRestingEntries(market: i32): void {
  showCandle(market)
  const last: i32 = readWord(market + lastOrderAt)
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = orders + slot
    slot = slot === last ? none : readWord(order + nextOrderAt)
    if (!mayEnter(market, order)) continue
    const price: f64 = restingPrice(market, order)
    // NaN differs from itself.
    if (price === price) fillFirstOfGroup(market, order, price, last)
  }
  sweepOrders(market)
}

/** Fills the exits that rest at a price which the candle reaches after its open. */
export function fillRestingExits(market: i32): void {
  showCandle(market)
  const last: i32 = readWord(market + lastOrderAt)
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = orders + slot
    slot = slot === last ? none : readWord(order + nextOrderAt)
    if (!waitsForPrice(order, exitLeg)) continue
    const wasLimit: boolean = isLimit(order)
    const price: f64 = restingPrice(market, order)
    // NaN differs from itself. Limits that the open has passed are filled already.
    if (price !== price || (wasLimit && price === rangeOpen)) continue
    if (readWord(market + firstLotAt) !== none && price !== rangeOpen) {
      writeWord(desk + isHeldAt, 1)
    }
    const side: f64 = -readWord(order + sideAt)
    const isTarget: boolean = isFarther(price, rangeOpen, side)
    if (isTarget) fillAdditionsBefore(market, side, price, true)
    // An addition of its group may have ended it.
    if ((readWord(order + flagsAt) & isOver) === 0) reduceInside(market, order, price)
  }
  sweepOrders(market)
}
