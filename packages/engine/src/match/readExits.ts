/**
 * The exits that a candle makes of a lot, liquidation included, and the doubts that it leaves.
 *
 * The path inside a candle is not known. Where it makes a difference, the results of the other
 * paths are noted beside the exit that counts.
 *
 * @since 0.1.0
 */
import { matcher } from "./matcherRecords.ts"
import { byLiquidation, byTakeProfit } from "./matcherCodes.ts"
import { fillLimit, fillStop, passesLimit, passesStop } from "./fillRules.ts"
import { readDouble, readWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import {
  addOtherStop,
  addOtherTarget,
  clearOthers,
  hasOthers,
  hasOtherStops,
  hasOtherTarget,
  otherStopHigh,
  otherStopLow,
  otherTarget,
  restoreOthers
} from "./otherPaths.ts"
import {
  detailBytes,
  detailCountAt,
  detailHighAt,
  detailLowAt,
  detailOpenAt,
  detailsAt
} from "./stageLayout.ts"
import {
  direction,
  follows,
  raiseWatched,
  stop,
  stopAfter,
  stopOnceTrailing,
  stopReason,
  target
} from "./watchedExits.ts"

/** The price of the exit before slippage, or NaN where the lot is held on. */
export let exitPrice: f64 = NaN

/** Why it is closed. */
export let exitReason: i32 = 0

/** Whether the open had passed the level, so that nothing was held inside the candle. */
export let exitsAtOpen: boolean = false

/** The number of the shorter candle that makes the exit; their count where none does. */
export let exitAt: i32 = 0

// The side of all lots of the market together: equity is gone where the price goes against it.
let netSide: f64 = 0

// The stops that other paths raised and then passed.
let passedBest: f64 = 0
let passedWorst: f64 = 0

function noteExit(price: f64, reason: i32, isAtOpen: boolean): void {
  exitPrice = price
  exitReason = reason
  exitsAtOpen = isAtOpen
}

/**
 * Reads a candle.
 *
 * A fill at the open is certain. Inside, liquidation comes before all else that the candle touches;
 * an exit on the way there is left open. `ruin` is the price at which equity is gone, or NaN.
 */
function readCandle(ruin: f64, open: f64, high: f64, low: f64): void {
  exitPrice = NaN
  const price: f64 = fillStop(-netSide, ruin, open, high, low)
  const isRuined: boolean = ruin === ruin && price === price
  if (!isRuined || passesLimit(-direction, target, open)) {
    readProtection(open, high, low, NaN)
    return
  }
  const isAtOpen: boolean = price === open
  if (isAtOpen) {
    noteExit(price, byLiquidation, true)
    return
  }
  // A doubt that earlier shorter candles left stays as it is.
  readProtection(open, high, low, ruin)
  // NaN differs from itself.
  const hasExit: boolean = exitPrice === exitPrice
  if (hasExit && exitsAtOpen) return
  if (hasExit && (exitPrice - ruin) * netSide > 0) {
    if (exitReason === byTakeProfit) addOtherTarget(exitPrice)
    else addOtherStop(exitPrice)
  }
  noteExit(price, byLiquidation, false)
}

/** Notes another exit, unless equity was gone before it. */
function noteStop(price: f64, ruin: f64): void {
  if (ruin === ruin && !((price - ruin) * netSide > 0)) return
  addOtherStop(price)
}

/**
 * The effect of a candle on a stop and a target alone.
 *
 * Of the two the stop counts. One that follows the price counts as it stood before the candle:
 * whether the candle moved it first and then passed it is left open.
 */
function readProtection(open: f64, high: f64, low: f64, ruin: f64): void {
  const side: f64 = -direction
  const reached: f64 = direction === 1 ? high : low
  const stopPrice: f64 = fillStop(side, stop, open, high, low)
  const targetPrice: f64 = fillLimit(side, target, open, high, low)
  const isTargetTouched: boolean = target === target && targetPrice === targetPrice
  if (passesLimit(side, target, open)) {
    noteExit(targetPrice, byTakeProfit, true)
    return
  }
  if (stop === stop && stopPrice === stopPrice) {
    const isAtOpen: boolean = passesStop(side, stop, open)
    noteExit(stopPrice, stopReason, isAtOpen)
    // The open was beyond the stop, which then came first for certain.
    if (isAtOpen) return
    if (isTargetTouched) {
      const isBefore: boolean = !(ruin === ruin) || (targetPrice - ruin) * netSide > 0
      if (isBefore) addOtherTarget(targetPrice)
    } else if (findPassed(open, high, low, reached)) noteStop(passedBest, ruin)
    return
  }
  if (isTargetTouched) {
    noteExit(targetPrice, byTakeProfit, false)
    if (findPassed(open, high, low, target)) noteStop(passedWorst, ruin)
    return
  }
  if (!findPassed(open, high, low, reached)) return
  noteStop(passedBest, ruin)
  noteStop(passedWorst, ruin)
}

/**
 * Finds the highest and the lowest exit by a stop that was raised on the way to `reached` and then
 * passed, for longs. Returns false where no stop was.
 */
function findPassed(open: f64, high: f64, low: f64, reached: f64): boolean {
  if (!follows()) return false
  const raised: f64 = stopAfter(reached)
  const farthest: f64 = direction === 1 ? low : high
  if (raised !== raised) return false
  if (stop === stop && (raised - stop) * direction <= 0) return false
  if ((raised - farthest) * direction < 0) return false
  const first: f64 = stopOnceTrailing(open, reached)
  passedBest = inReach(raised, reached, farthest)
  passedWorst = inReach(first === first ? first : raised, reached, farthest)
  return true
}

function inReach(price: f64, reached: f64, farthest: f64): f64 {
  if ((price - reached) * direction > 0) return reached
  return (price - farthest) * direction < 0 ? farthest : price
}

/**
 * Reads the shorter candles that are laid out, each as a candle is.
 *
 * Where they touch nothing that the candle has touched, they are not all there, and it counts.
 */
export function readInside(ruin: f64): void {
  const price: f64 = exitPrice
  const reason: i32 = exitReason
  const isAtOpen: boolean = exitsAtOpen
  const hasStops: boolean = hasOtherStops
  const low: f64 = otherStopLow
  const high: f64 = otherStopHigh
  const hasTarget: boolean = hasOtherTarget
  const targetPrice: f64 = otherTarget
  clearOthers()
  exitPrice = NaN
  const first: i32 = matcher + readWord(matcher + detailsAt)
  const end: i32 = first + readWord(matcher + detailCountAt) * detailBytes
  exitAt = 0
  for (let at: i32 = first; at < end; at += detailBytes) {
    const highest: f64 = readDouble(at + detailHighAt)
    const lowest: f64 = readDouble(at + detailLowAt)
    readCandle(ruin, readDouble(at + detailOpenAt), highest, lowest)
    if (exitPrice === exitPrice) {
      exitsAtOpen = exitsAtOpen && at === first
      return
    }
    raiseWatched(highest, lowest)
    exitAt += 1
  }
  if (price !== price) return
  noteExit(price, reason, isAtOpen)
  restoreOthers(hasStops, low, high, hasTarget, targetPrice)
}

/**
 * Reads the candle that is shown; there are other paths where the order inside the candle matters.
 * `side` is the side of all lots of the market together.
 */
export function readShown(ruin: f64, side: f64, open: f64, high: f64, low: f64): boolean {
  netSide = side
  clearOthers()
  readCandle(ruin, open, high, low)
  return hasOthers()
}
