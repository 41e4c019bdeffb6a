/**
 * Exits inside a candle, of lots and of orders alike: which of them come first.
 *
 * They fill by side: those on the losing side first, the nearest to the open first; then those on
 * the winning side, the nearest first. Where both sides were touched, and one leaves the other less
 * than that would have filled, the candle is ambiguous. Shorter candles decide then, where there
 * are any.
 *
 * @since 0.1.0
 */
import { magnitude } from "./arithmetic.ts"
import { slippageOf } from "./chargedFee.ts"
import { byLiquidation, byTakeProfit } from "./matcherCodes.ts"
import {
  firstLotAt,
  firstOrderAt,
  groupAt,
  heldAt,
  highAt,
  candleIndexAt,
  lowAt,
  nextLotAt,
  nextOrderAt,
  none,
  openAt,
  orderIdAt,
  quantityAt,
  sideAt,
  timeAt
} from "./matcherLayout.ts"
import { closeLot } from "./matcherLots.ts"
import { sweepOrders } from "./matcherQueue.ts"
import { lotsStart, matcher, ordersStart } from "./matcherRecords.ts"
import {
  detailOpenOf,
  exitReachedIn,
  isDetailed,
  priceInside,
  reachedIn,
  showCandle
} from "./detailOrder.ts"
import { isFarther } from "./levelRules.ts"
import { readDouble, readWord, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { clearOthers, hasOthers, hasOtherTarget, keepOthers, slipOthers } from "./otherPaths.ts"
import { rangeOpen } from "./passage.ts"
import { netHeld, ruinOf } from "./quietCandle.ts"
import { exitAt, exitPrice, exitReason, exitsAtOpen, readInside, readShown } from "./readExits.ts"
import { exitPriceAsked, fillAdditionsBefore, fillExitInside, takeDoubt } from "./restingFills.ts"
import { ambiguousCountAt, isHeldAt } from "./stageLayout.ts"
import { direction, isLive, watchLot } from "./watchedExits.ts"

// Ranks of exits that one candle reaches.
const passedByOpen: i32 = 0
const losing: i32 = 1
const winning: i32 = 2

// The lots that are asked whether they are closed.
const thoseAtOpen: i32 = 0
const thoseBefore: i32 = 1
const all: i32 = 2

/** The part by which sums of sizes may differ by rounding alone. */
const roundingShare: f64 = 1e-9

// The side of all lots of the market together, before its candle closes any of them.
let netSide: f64 = 0

// Whether shorter candles decide between exits of lots and of orders.
let isTimed: boolean = false

// The place of the last exit that was looked at. It is the number of the shorter candle that makes
// it (below 0 where none decides), its rank there, and its distance from the open.
let placeAt: i32 = 0
let placeRank: i32 = 0
let placeAway: f64 = 0
let placePrice: f64 = NaN

// The order that comes first of those that are left.
let firstOrder: i32 = 0
let firstAt: i32 = 0
let firstRank: i32 = 0
let firstAway: f64 = 0
let firstPrice: f64 = NaN

/** Whether lots are open; notes their side. */
export function isHolding(market: i32): boolean {
  if (readWord(market + firstLotAt) === none) return false
  netSide = netHeld(market) > 0 ? 1 : -1
  return true
}

/** Looks at a lot and reads the candle that is shown; true where the path inside it matters. */
export function readLot(market: i32, lot: i32, ruin: f64): boolean {
  watchLot(market, lot)
  const open: f64 = readDouble(market + openAt)
  return readShown(ruin, netSide, open, readDouble(market + highAt), readDouble(market + lowAt))
}

/** The same by shorter candles, where the path matters and they are laid out: true then. */
function readTold(market: i32, lot: i32, ruin: f64): boolean {
  const isRead: boolean = readLot(market, lot, ruin) && isDetailed(market)
  if (isRead) readInside(ruin)
  return isRead
}

/** Whether the lot that was read is closed inside the candle, at its target or at a stop. */
export function closesInside(isTarget: boolean): boolean {
  // NaN differs from itself.
  if (exitPrice !== exitPrice || exitsAtOpen) return false
  return (exitReason === byTakeProfit) === isTarget
}

/** The number of the shorter candle that makes the exit that was read, below 0 without any. */
function exitAtOf(market: i32, isRead: boolean): i32 {
  if (!isDetailed(market)) return -1
  return isRead ? exitAt : exitReachedIn(-direction, exitPrice, exitReason === byTakeProfit)
}

/** Notes the place of an exit of this price; `away` is 1 where the price rises to it. */
function place(market: i32, at: i32, price: f64, away: f64, isWinning: boolean): void {
  const open: f64 = at < 0 ? readDouble(market + openAt) : detailOpenOf(market, at)
  placeAt = at
  placePrice = price
  placeAway = (price - open) * away
  placeRank = isWinning ? winning : losing
  if (placeAway > 0) return
  placeRank = passedByOpen
  placeAway = 0
}

/** Notes the place of the exit of the lot that was read; false where it is not closed. */
function placeLot(market: i32, isRead: boolean): boolean {
  // NaN differs from itself.
  if (exitPrice !== exitPrice) return false
  const isTarget: boolean = exitReason === byTakeProfit
  const at: i32 = isTimed ? exitAtOf(market, isRead) : -1
  place(market, at, exitPrice, isTarget ? direction : -direction, isTarget)
  // The whole candle's open comes before all of its shorter candles.
  if (exitsAtOpen) placeAt = -1
  return true
}

/** Notes the place of an exit order; false where the candle does not reach it after its open. */
function placeOrder(market: i32, order: i32): boolean {
  const price: f64 = exitPriceAsked(market, order)
  // NaN differs from itself.
  if (price !== price || price === rangeOpen) return false
  const isWinning: boolean = isFarther(price, rangeOpen, -readWord(order + sideAt))
  const at: i32 = isTimed ? reachedIn(market, order) : -1
  const isTold: boolean = isTimed && priceInside === priceInside
  place(market, at, isTold ? priceInside : price, price > rangeOpen ? 1 : -1, isWinning)
  return true
}

/** Whether the place that was noted comes before another one, or is it. */
function isPlacedBefore(at: i32, rank: i32, away: f64): boolean {
  if (placeAt !== at) return placeAt < at
  return placeRank !== rank ? placeRank < rank : placeAway <= away
}

/**
 * Finds the first of the orders that come after a place, which is that of an order of this id.
 * Orders at one place go by their ids, so that none is filled twice.
 */
function findFirst(market: i32, at: i32, rank: i32, away: f64, id: i32): boolean {
  showCandle(market)
  firstOrder = none
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = ordersStart + slot
    slot = readWord(order + nextOrderAt)
    if (!placeOrder(market, order)) continue
    const isSame: boolean = placeAt === at && placeRank === rank && placeAway === away
    if (isSame ? readWord(order + orderIdAt) <= id : isPlacedBefore(at, rank, away)) continue
    if (firstOrder !== none) {
      const isTied: boolean =
        placeAt === firstAt && placeRank === firstRank && placeAway === firstAway
      const isLater: boolean = isTied
        ? readWord(order + orderIdAt) > readWord(firstOrder + orderIdAt)
        : !isPlacedBefore(firstAt, firstRank, firstAway)
      if (isLater) continue
    }
    firstOrder = order
    firstAt = placeAt
    firstRank = placeRank
    firstAway = placeAway
    firstPrice = placePrice
  }
  return firstOrder !== none
}

// The units that exits of a side ask for, and those that are held for them.
let losingSum: f64 = 0
let winningSum: f64 = 0
let heldSum: f64 = 0
let lotCount: i32 = 0

/** Counts the lots of a direction, and the quantity of their own exits in a shorter candle. */
function countLots(market: i32, towards: f64, at: i32): void {
  losingSum = 0
  winningSum = 0
  heldSum = 0
  lotCount = 0
  const ruin: f64 = isHolding(market) ? ruinOf(market) : NaN
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    const lot: i32 = lotsStart + slot
    slot = readWord(lot + nextLotAt)
    const held: f64 = magnitude(readDouble(lot + heldAt))
    const isRead: boolean = readTold(market, lot, ruin)
    const hasBoth: boolean = hasOtherTarget
    clearOthers()
    if (direction !== towards) continue
    const isPlaced: boolean = placeLot(market, isRead)
    if (isPlaced && (placeAt < at || placeRank === passedByOpen)) continue
    lotCount += 1
    heldSum += held
    if (!isPlaced || placeAt !== at) continue
    if (placeRank === losing) losingSum += held
    if (placeRank === winning || hasBoth) winningSum += held
  }
}

/** Whether the other side of a candle has an order of the same group. */
function isOpposed(market: i32, order: i32, at: i32, rank: i32): boolean {
  const group: i32 = readWord(order + groupAt)
  if (group === 0) return false
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const other: i32 = ordersStart + slot
    slot = readWord(other + nextOrderAt)
    if (readWord(other + groupAt) !== group || !placeOrder(market, other)) continue
    if (placeAt === at && placeRank !== passedByOpen && placeRank !== rank) return true
  }
  return false
}

/**
 * Whether a candle reaches exits of a direction on both sides of its open, orders among them, that
 * exceed the position or end one another. With several lots the first exit takes the lot that the
 * other would have reduced.
 */
function isInDoubt(market: i32, towards: f64, at: i32): boolean {
  countLots(market, towards, at)
  if (lotCount === 0) return false
  showCandle(market)
  let hasOrder: boolean = false
  let isBound: boolean = lotCount > 1
  for (let slot: i32 = readWord(market + firstOrderAt); slot !== none;) {
    const order: i32 = ordersStart + slot
    slot = readWord(order + nextOrderAt)
    if (readWord(order + sideAt) > 0 === towards > 0) continue
    const quantity: f64 = readDouble(order + quantityAt)
    if (!placeOrder(market, order)) {
      if (exitPriceAsked(market, order) === rangeOpen) heldSum -= quantity
      continue
    }
    if (placeAt !== at) continue
    const rank: i32 = placeRank
    if (rank === passedByOpen) {
      heldSum -= quantity
      continue
    }
    hasOrder = true
    if (rank === losing) losingSum += quantity
    else winningSum += quantity
    if (isOpposed(market, order, at, rank)) isBound = true
  }
  if (!hasOrder || !(losingSum > 0) || !(winningSum > 0)) return false
  return isBound || losingSum + winningSum > heldSum * (1 + roundingShare)
}

function isInDoubtAt(market: i32, at: i32): boolean {
  return isInDoubt(market, 1, at) || isInDoubt(market, -1, at)
}

/** Whether the whole candle leaves open in which order it reaches exits. */
export function areExitsInDoubt(market: i32): boolean {
  isTimed = false
  return isInDoubtAt(market, -1)
}

/** Whether shorter candles show more about a lot than the whole candle. */
function hasToldLot(market: i32): boolean {
  const ruin: f64 = isHolding(market) ? ruinOf(market) : NaN
  let isTold: boolean = false
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    if (readTold(market, lotsStart + slot, ruin)) isTold = true
    slot = readWord(lotsStart + slot + nextLotAt)
  }
  clearOthers()
  return isTold
}

/** Whether the lot that was read is not asked now. */
function isLeftOut(market: i32, which: i32, isRead: boolean): boolean {
  if (which === all) return false
  if (!placeLot(market, isRead)) return true
  if (which === thoseAtOpen) return !exitsAtOpen
  return !isPlacedBefore(firstAt, firstRank, firstAway)
}

/**
 * Closes the lots that the candle liquidates, or whose stop or target it touches. Returns their
 * number.
 */
function checkExits(market: i32, which: i32): i32 {
  const ruin: f64 = ruinOf(market)
  let count: i32 = 0
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    const lot: i32 = lotsStart + slot
    slot = readWord(lot + nextLotAt)
    const isRead: boolean = readTold(market, lot, ruin)
    if (isLeftOut(market, which, isRead)) {
      clearOthers()
      continue
    }
    let price: f64 = exitPrice
    let reason: i32 = exitReason
    if (price === price && !exitsAtOpen) {
      const isTarget: boolean = reason === byTakeProfit
      const at: i32 = exitAtOf(market, isRead)
      price = fillAdditionsBefore(market, direction, exitPrice, isTarget, at)
      if (price !== exitPrice) reason = byLiquidation
    }
    const held: f64 = magnitude(readDouble(lot + heldAt))
    if (hasOthers()) {
      slipOthers(-direction, slippageOf(market, held))
      writeWord(matcher + ambiguousCountAt, readWord(matcher + ambiguousCountAt) + 1)
    }
    // NaN differs from itself.
    if (price !== price) {
      if (isLive && hasOthers()) keepOthers(lot)
      clearOthers()
      continue
    }
    if (!exitsAtOpen) writeWord(matcher + isHeldAt, 1)
    const index: i32 = readWord(market + candleIndexAt)
    const time: f64 = readDouble(market + timeAt)
    closeLot(market, lot, held, price, index, time, reason, reason === byTakeProfit, 0)
    count += 1
  }
  sweepOrders(market)
  return count
}

/** Closes the lots whose exits are reached at the open. */
export function closeAtOpen(market: i32): void {
  isTimed = false
  if (isHolding(market)) checkExits(market, thoseAtOpen)
}

/** Whether a doubt about additions was found that matters: to a lot that stays, none does. */
function takeDoubtOfEnd(market: i32): boolean {
  return takeDoubt() && readWord(market + firstLotAt) === none
}

/**
 * Closes the lots whose exits are reached; true where the candle leaves open whether additions came
 * before.
 */
export function closeReachedLots(market: i32): boolean {
  if (!isHolding(market)) return false
  checkExits(market, all)
  return takeDoubtOfEnd(market)
}

/**
 * Fills the exit orders that the candle reaches after its open, and closes the lots that exit
 * before one of them. Returns true where the candle leaves the order of exits open.
 */
export function closeBySide(market: i32): boolean {
  let isDoubtful: boolean = areExitsInDoubt(market)
  if (isDetailed(market) && (isDoubtful || hasToldLot(market))) {
    isTimed = true
    isDoubtful = false
  }
  let at: i32 = -2
  let rank: i32 = 0
  let away: f64 = 0
  let id: i32 = 0
  while (findFirst(market, at, rank, away, id)) {
    if (isTimed && isInDoubtAt(market, firstAt)) isDoubtful = true
    if (isHolding(market)) {
      const count: i32 = checkExits(market, thoseBefore)
      if (takeDoubtOfEnd(market)) isDoubtful = true
      if (count > 0) continue
    }
    at = firstAt
    rank = firstRank
    away = firstAway
    id = readWord(firstOrder + orderIdAt)
    fillExitInside(market, firstOrder, firstPrice)
    if (takeDoubt()) isDoubtful = true
  }
  return isDoubtful
}
