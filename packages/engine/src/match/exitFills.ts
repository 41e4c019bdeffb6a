/**
 * Fills exits that reduce the position, and closes of one lot.
 *
 * The rest of an exit that its candle has no volume for waits for the next one.
 *
 * @since 0.1.0
 */
import { lesser, magnitude } from "./arithmetic.ts"
import { holdsSide } from "./boundOrders.ts"
import {
  bySignal,
  cancelled,
  closesOldest,
  endsWithPosition,
  exitLeg,
  hasLimit,
  hasStop,
  isImmediate,
  isOver,
  noMoreToReduce,
  nothingToReduce,
  opensBeside,
  rejected,
  restLacksVolume
} from "./matcherCodes.ts"
import {
  firstLotAt,
  firstOrderAt,
  flagsAt,
  heldAt,
  legAt,
  nettingAt,
  nextLotAt,
  nextOrderAt,
  none,
  orderIdAt,
  orderLotAt,
  quantityAt,
  sideAt
} from "./matcherLayout.ts"
import { closeLot, restMax } from "./matcherLots.ts"
import { endGroup, endOrder, linkLast, reportEnded, unlink } from "./matcherQueue.ts"
import { lotsStart, matcher, ordersStart } from "./matcherRecords.ts"
import { availableIn, nearestLots } from "./matcherSizes.ts"
import { readDouble, readWord, writeDouble } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { exitReasonAt } from "./stageLayout.ts"

/** Units of the lot that an exit names. */
function heldByNamed(order: i32): f64 {
  const held: f64 = readDouble(lotsStart + readWord(order + orderLotAt) + heldAt)
  return held > 0 === readWord(order + sideAt) > 0 ? 0 : magnitude(held)
}

/** Units that are held the other way than an order goes. */
export function heldAgainst(market: i32, side: i32): f64 {
  let held: f64 = 0
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    const quantity: f64 = readDouble(lotsStart + slot + heldAt)
    if (quantity > 0 !== side > 0) held += magnitude(quantity)
    slot = readWord(lotsStart + slot + nextLotAt)
  }
  return held
}

/** The last lot that is held the other way than an order goes. */
function lastAgainst(market: i32, side: i32): i32 {
  let last: i32 = none
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    if (readDouble(lotsStart + slot + heldAt) > 0 !== side > 0) last = slot
    slot = readWord(lotsStart + slot + nextLotAt)
  }
  return last
}

/** Closes so many units that are held the other way, the oldest first. */
export function reduce(
  market: i32,
  order: i32,
  quantity: f64,
  raw: f64,
  index: i32,
  time: f64,
  reason: i32
): void {
  const side: i32 = readWord(order + sideAt)
  const isMaker: boolean = (readWord(order + flagsAt) & hasLimit) !== 0
  const id: i32 = readWord(order + orderIdAt)
  const last: i32 = lastAgainst(market, side)
  let rest: f64 = quantity
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none && rest > 0;) {
    const lot: i32 = lotsStart + slot
    const held: f64 = readDouble(lot + heldAt)
    const size: f64 = magnitude(held)
    const isLast: boolean = slot === last
    slot = readWord(lot + nextLotAt)
    if (held > 0 === side > 0) continue
    // Whole lots may be more than is held, by the rest of rounding.
    const isRounded: boolean = isLast && rest - size <= restMax * rest
    const part: f64 = isRounded ? rest : lesser(size, rest)
    closeLot(market, lot, part, raw, index, time, reason, isMaker, id)
    rest -= part
  }
}

/** Whether the rest of an exit at market waits for volume. */
function hasWaitingExit(market: i32): boolean {
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = ordersStart + slot
    slot = readWord(order + nextOrderAt)
    const waits: boolean = (readWord(order + flagsAt) & (hasLimit | hasStop | isOver)) === 0
    if (waits && readWord(order + legAt) === exitLeg) return true
  }
  return false
}

/**
 * Whether an entry waits until the rest of an exit is filled: it would meet the lots that the exit
 * leaves. It never waits to add to a position, nor where it opens a lot beside others of its side.
 */
export function waitsForExit(market: i32, order: i32): boolean {
  if ((readWord(order + flagsAt) & endsWithPosition) !== 0) return false
  const netting: i32 = readWord(matcher + nettingAt)
  if (netting === closesOldest || readWord(market + firstLotAt) === none) return false
  if (netting === opensBeside && !holdsSide(market, -readWord(order + sideAt))) return false
  return hasWaitingExit(market)
}

/** Fills an exit as far as its candle gives it volume; the rest waits. */
export function fillReduction(market: i32, order: i32, raw: f64, index: i32, time: f64): void {
  const isNamed: boolean = readWord(order + orderLotAt) !== none
  const held: f64 = isNamed ? heldByNamed(order) : heldAgainst(market, readWord(order + sideAt))
  if (!(held > 0)) {
    reportEnded(market, order, rejected, nothingToReduce)
    endOrder(market, order)
    return
  }
  // Lots that are sold one after the other do not add up to the bit; the rest is whole lots.
  const ordered: f64 = readDouble(order + quantityAt)
  const wanted: f64 = lesser(ordered, nearestLots(market, held))
  const quantity: f64 = lesser(wanted, availableIn(market))
  const rest: f64 = nearestLots(market, wanted - quantity)
  if (rest > 0 && (readWord(order + flagsAt) & isImmediate) === 0) {
    writeDouble(order + quantityAt, nearestLots(market, ordered - quantity))
    unlink(market, order)
    linkLast(market, order)
  } else {
    if (rest > 0) reportEnded(market, order, cancelled, restLacksVolume)
    else if (wanted < ordered) reportEnded(market, order, cancelled, noMoreToReduce)
    endOrder(market, order)
  }
  if (!(quantity > 0)) return
  endGroup(market, order)
  const reason: i32 = readWord(order + exitReasonAt)
  if (!isNamed) return reduce(market, order, quantity, raw, index, time, reason)
  const lot: i32 = lotsStart + readWord(order + orderLotAt)
  const isMaker: boolean = (readWord(order + flagsAt) & hasLimit) !== 0
  const id: i32 = readWord(order + orderIdAt)
  closeLot(market, lot, quantity, raw, index, time, reason, isMaker, id)
}

/** Fills a close of one lot at the market; the lot may have become smaller since it was ordered. */
export function fillClose(market: i32, order: i32, raw: f64, index: i32, time: f64): void {
  const lot: i32 = lotsStart + readWord(order + orderLotAt)
  const quantity: f64 = lesser(magnitude(readDouble(lot + heldAt)), readDouble(order + quantityAt))
  const id: i32 = readWord(order + orderIdAt)
  endOrder(market, order)
  closeLot(market, lot, quantity, raw, index, time, bySignal, false, id)
}
