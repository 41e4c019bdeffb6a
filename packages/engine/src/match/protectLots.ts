/**
 * The protection of a lot: its stop and its target beside the price of the entry, and a stop that
 * follows the price.
 *
 * @since 0.1.0
 */
import { lotsStart, ordersStart } from "./matcherRecords.ts"
import {
  activationKindAt,
  breakEvenKindAt,
  breaksEven,
  byBreakEven,
  byStopLoss,
  byTrailingStop,
  distanceLevel,
  fractionLevel,
  hasPassed,
  hasStopLoss,
  hasTakeProfit,
  noLevel,
  stopLossKindAt,
  takeProfitKindAt,
  trailKindAt,
  trails,
  trailsByFraction,
  waitsToTrail
} from "./matcherCodes.ts"
import {
  activationAt,
  bestAt,
  breakEvenActivationAt,
  breakEvenAt,
  breakEvenOffsetAt,
  breakEvenStopAt,
  entryPriceAt,
  firstLotAt,
  flagsAt,
  heldAt,
  highAt,
  candleIndexAt,
  isWatchedAt,
  levelKindsAt,
  lowAt,
  movesAt,
  nextLotAt,
  none,
  stopAt,
  stopFromAt,
  stopLossAt,
  stopOrderAt,
  stopReasonAt,
  takeProfitAt,
  tickAt,
  tickInverseAt,
  trailActivationAt,
  trailAt,
  trailDistanceAt
} from "./matcherLayout.ts"
import { putStop, putTarget } from "./matcherLots.ts"
import { roundToStep, passesStop } from "./fillRules.ts"
import { distanceAway, isActivated, isFarther, partAway, trailedStop } from "./levelRules.ts"
import { readDouble, readWord, writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"

/** The kind of one of an order's levels. */
function kindOf(order: i32, kindAt: i32): i32 {
  return (readWord(order + levelKindsAt) >> kindAt) & 3
}

/** The price of a level beside an entry price; `away` is 1 for one above it. */
function levelPrice(kind: i32, value: f64, entryPrice: f64, away: f64): f64 {
  if (kind === fractionLevel) return partAway(entryPrice, away, value)
  return kind === distanceLevel ? distanceAway(entryPrice, away, value) : value
}

/** A price on the step of its market. */
export function onMarketTick(market: i32, price: f64): f64 {
  return roundToStep(price, readDouble(market + tickAt), readDouble(market + tickInverseAt))
}

/** Whether an order can be at this price; a level that is the price itself was asked for so. */
function isUsable(kind: i32, price: f64): boolean {
  return kind === noLevel || (price > 0 && price < Infinity)
}

/** Sets the exits of a lot that an order has just opened: its target first, then its stop. */
export function protectLot(market: i32, lot: i32, order: i32): void {
  const flags: i32 = readWord(order + flagsAt)
  const entryPrice: f64 = readDouble(lot + entryPriceAt)
  const side: f64 = readDouble(lot + heldAt) > 0 ? 1 : -1
  if ((flags & hasTakeProfit) !== 0) {
    const kind: i32 = kindOf(order, takeProfitKindAt)
    const level: f64 = levelPrice(kind, readDouble(order + takeProfitAt), entryPrice, side)
    const target: f64 = onMarketTick(market, level)
    if (isUsable(kind, target)) putTarget(market, lot, target)
  }
  if ((flags & hasStopLoss) !== 0) {
    const kind: i32 = kindOf(order, stopLossKindAt)
    const level: f64 = levelPrice(kind, readDouble(order + stopLossAt), entryPrice, -side)
    const stop: f64 = onMarketTick(market, level)
    if (isUsable(kind, stop)) putStop(market, lot, stop)
  }
  if (readWord(order + levelKindsAt) >> trailKindAt !== 0) followPrice(market, lot, order, side)
}

/**
 * Derives the exits of a lot anew from its average price, by the order that was merged into it.
 * Exits that the order does not name stay.
 *
 * A stop that has trailed or come to the entry never falls back.
 */
export function protectMerged(market: i32, lot: i32, order: i32): void {
  const side: f64 = readDouble(lot + heldAt) > 0 ? 1 : -1
  const slot: i32 = readWord(lot + stopOrderAt)
  const reason: i32 = readWord(lot + stopReasonAt)
  const isRaised: boolean = slot !== none && reason !== byStopLoss
  const raised: f64 = isRaised ? readDouble(ordersStart + slot + stopAt) : NaN
  if (isRaised) writeWord(lot + stopReasonAt, byStopLoss)
  protectLot(market, lot, order)
  if (!isRaised) return
  const stop: i32 = ordersStart + readWord(lot + stopOrderAt)
  if (isFarther(readDouble(stop + stopAt), raised, side)) return
  writeDouble(stop + stopAt, raised)
  writeWord(lot + stopReasonAt, reason)
  writeWord(market + isWatchedAt, 0)
}

/** Makes the stop of a lot follow the price, as its order says. */
function followPrice(market: i32, lot: i32, order: i32, side: f64): void {
  const entryPrice: f64 = readDouble(lot + entryPriceAt)
  const trailKind: i32 = kindOf(order, trailKindAt)
  const activationKind: i32 = kindOf(order, activationKindAt)
  const breakEvenKind: i32 = kindOf(order, breakEvenKindAt)
  const moved: i32 = readWord(lot + movesAt)
  let moves: i32 = moved
  // A distance that is not defined, or none, trails nothing.
  if (trailKind !== noLevel && readDouble(order + trailAt) > 0) {
    moves = (moved & (breaksEven | hasPassed)) | trails
    if (trailKind === fractionLevel) moves |= trailsByFraction
    writeDouble(lot + trailDistanceAt, readDouble(order + trailAt))
    // A lot that trails already goes on from the best price that it has seen.
    if ((moved & trails) === 0) writeDouble(lot + bestAt, entryPrice)
    const value: f64 = readDouble(order + activationAt)
    const activation: f64 = onMarketTick(
      market,
      levelPrice(activationKind, value, entryPrice, side)
    )
    writeDouble(lot + trailActivationAt, activation)
    if (activationKind !== noLevel && isUsable(activationKind, activation)) moves |= waitsToTrail
  }
  if (breakEvenKind !== noLevel) {
    moves |= breaksEven
    const value: f64 = readDouble(order + breakEvenAt)
    const offset: f64 = readDouble(order + breakEvenOffsetAt)
    const stop: f64 = onMarketTick(market, partAway(entryPrice, side, offset))
    writeDouble(lot + breakEvenActivationAt, levelPrice(breakEvenKind, value, entryPrice, side))
    writeDouble(lot + breakEvenStopAt, stop)
  }
  writeWord(lot + movesAt, moves)
  if ((moves & (trails | waitsToTrail)) === trails) trail(market, lot, moves, side)
}

/** Moves the stop of a lot to a price that is tighter than where it is. */
function tighten(market: i32, lot: i32, stop: f64, side: f64, reason: i32): void {
  if (!(stop > 0)) return
  const slot: i32 = readWord(lot + stopOrderAt)
  if (slot === none) putStop(market, lot, stop)
  else if (isFarther(stop, readDouble(ordersStart + slot + stopAt), side)) {
    writeDouble(ordersStart + slot + stopAt, stop)
    writeWord(market + isWatchedAt, 0)
  } else return
  writeWord(lot + stopReasonAt, reason)
}

/** Where the stop of a lot trails behind its best price. */
function trailedPrice(market: i32, lot: i32, moves: i32, side: f64): f64 {
  return behindBest(market, lot, moves, side, readDouble(lot + bestAt))
}

/** Where the stop of a lot trails behind a price. */
function behindBest(market: i32, lot: i32, moves: i32, side: f64, best: f64): f64 {
  const distance: f64 = readDouble(lot + trailDistanceAt)
  return onMarketTick(market, trailedStop(best, side, distance, (moves & trailsByFraction) !== 0))
}

function trail(market: i32, lot: i32, moves: i32, side: f64): void {
  tighten(market, lot, trailedPrice(market, lot, moves, side), side, byTrailingStop)
}

/** Whether a price is tighter than the stop of a lot. */
function isTighter(lot: i32, stop: f64, side: f64): boolean {
  if (!(stop > 0)) return false
  const slot: i32 = readWord(lot + stopOrderAt)
  return slot === none || isFarther(stop, readDouble(ordersStart + slot + stopAt), side)
}

/**
 * Whether a candle moves the stop of a lot to a price that the other end of the candle passes. The
 * order of the candle's prices matters then.
 */
export function mayPassRaised(market: i32, lot: i32, moves: i32): boolean {
  const isLong: boolean = readDouble(lot + heldAt) > 0
  const side: f64 = isLong ? 1 : -1
  const reached: f64 = readDouble(market + (isLong ? highAt : lowAt))
  const farthest: f64 = readDouble(market + (isLong ? lowAt : highAt))
  if ((moves & breaksEven) !== 0) {
    const stop: f64 = readDouble(lot + breakEvenStopAt)
    const isReached: boolean = isActivated(reached, readDouble(lot + breakEvenActivationAt), side)
    if (isReached && passesStop(-side, stop, farthest) && isTighter(lot, stop, side)) return true
  }
  if ((moves & trails) === 0 || !isFarther(reached, readDouble(lot + bestAt), side)) return false
  const waits: boolean = (moves & waitsToTrail) !== 0
  if (waits && !isActivated(reached, readDouble(lot + trailActivationAt), side)) return false
  const stop: f64 = behindBest(market, lot, moves, side, reached)
  return passesStop(-side, stop, farthest) && isTighter(lot, stop, side)
}

/**
 * The price from which on a candle moves the stop of a lot, or a value that moves the stop.
 * Infinity against the lot where every candle does so.
 */
export function raiseFrom(market: i32, lot: i32, moves: i32, side: f64): f64 {
  let from: f64 = side * Infinity
  if ((moves & trails) !== 0) {
    const best: f64 = readDouble(lot + bestAt)
    const waits: boolean = (moves & waitsToTrail) !== 0
    const isReached: boolean =
      !waits || isActivated(best, readDouble(lot + trailActivationAt), side)
    // A stop that was moved back, or that the entry itself activates, follows at the next end.
    if (isReached && isTighter(lot, trailedPrice(market, lot, moves, side), side)) {
      return -side * Infinity
    }
    from = best
  }
  if ((moves & breaksEven) === 0) return from
  if (!isTighter(lot, readDouble(lot + breakEvenStopAt), side)) return from
  const activation: f64 = readDouble(lot + breakEvenActivationAt)
  return isFarther(from, activation, side) ? activation : from
}

/**
 * Moves stops that follow the price, after a candle was matched.
 *
 * A candle inside which a lot was opened is left out, because its extremes may lie before the
 * entry.
 */
export function raiseStops(market: i32): void {
  for (let slot: i32 = readWord(market + firstLotAt); slot !== none;) {
    const lot: i32 = lotsStart + slot
    slot = readWord(lot + nextLotAt)
    const moves: i32 = readWord(lot + movesAt)
    if (moves === 0 || readWord(market + candleIndexAt) < readWord(lot + stopFromAt)) continue
    raiseStop(market, lot, moves)
  }
}

function raiseStop(market: i32, lot: i32, moves: i32): void {
  const isLong: boolean = readDouble(lot + heldAt) > 0
  const side: f64 = isLong ? 1 : -1
  const reached: f64 = readDouble(market + (isLong ? highAt : lowAt))
  if ((moves & breaksEven) !== 0) {
    if (isActivated(reached, readDouble(lot + breakEvenActivationAt), side)) {
      tighten(market, lot, readDouble(lot + breakEvenStopAt), side, byBreakEven)
    }
  }
  if ((moves & trails) === 0) return
  if (isFarther(reached, readDouble(lot + bestAt), side)) {
    writeDouble(lot + bestAt, reached)
    writeWord(market + isWatchedAt, 0)
  }
  const waits: boolean = (moves & waitsToTrail) !== 0
  const best: f64 = readDouble(lot + bestAt)
  if (waits && !isActivated(best, readDouble(lot + trailActivationAt), side)) return
  trail(market, lot, moves, side)
}
