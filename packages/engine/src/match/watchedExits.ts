/**
 * The protection of the lot that is looked at, as a copy: shorter candles move its stop here, and
 * the lot stays as it is.
 *
 * NaN is the price of a level that a lot does not have.
 *
 * @since 0.1.0
 */
import { greater, lesser } from "./arithmetic.ts"
import { orderOf } from "./matcherRecords.ts"
import {
  breaksEven,
  byBreakEven,
  byStopLoss,
  byTrailingStop,
  trails,
  trailsByFraction,
  waitsToTrail
} from "./matcherCodes.ts"
import {
  bestAt,
  breakEvenActivationAt,
  breakEvenStopAt,
  heldAt,
  candleIndexAt,
  limitAt,
  movesAt,
  none,
  stopAt,
  stopFromAt,
  stopOrderAt,
  stopReasonAt,
  targetFromAt,
  targetOrderAt,
  trailActivationAt,
  trailDistanceAt
} from "./matcherLayout.ts"
import { isActivated, isFarther, trailedStop } from "./levelRules.ts"
import { readDouble, readWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { onMarketTick } from "./protectLots.ts"

/** 1 where the lot is long, -1 where it is short. */
export let direction: f64 = 0

/** Whether its stop and target are checked already. */
export let isLive: boolean = false

/** Its stop. */
export let stop: f64 = NaN

/** Why that lies where it does. */
export let stopReason: i32 = 0

/** Its target. */
export let target: f64 = NaN

let market: i32 = 0
let moves: i32 = 0
let best: f64 = 0
let trailDistance: f64 = 0
let trailActivation: f64 = 0
let breakEvenActivation: f64 = 0
let breakEvenStop: f64 = 0

/** Looks at a lot of a market. */
export function watchLot(marketOfLot: i32, lot: i32): void {
  market = marketOfLot
  const index: i32 = readWord(market + candleIndexAt)
  const stopOrder: i32 = orderOf(readWord(lot + stopOrderAt))
  const targetOrder: i32 = orderOf(readWord(lot + targetOrderAt))
  direction = readDouble(lot + heldAt) > 0 ? 1 : -1
  isLive = index >= readWord(lot + stopFromAt)
  const hasTarget: boolean = targetOrder !== none && index >= readWord(lot + targetFromAt)
  stop = isLive && stopOrder !== none ? readDouble(stopOrder + stopAt) : NaN
  stopReason = stopOrder === none ? byStopLoss : readWord(lot + stopReasonAt)
  target = hasTarget ? readDouble(targetOrder + limitAt) : NaN
  moves = isLive ? readWord(lot + movesAt) : 0
  best = readDouble(lot + bestAt)
  trailDistance = readDouble(lot + trailDistanceAt)
  trailActivation = readDouble(lot + trailActivationAt)
  breakEvenActivation = readDouble(lot + breakEvenActivationAt)
  breakEvenStop = readDouble(lot + breakEvenStopAt)
}

/** Whether its stop follows the price. */
export function follows(): boolean {
  return (moves & (trails | breaksEven)) !== 0
}

/** Of two prices the one that is farther in a direction. */
function farther(one: f64, other: f64, towards: f64): f64 {
  return (one - other) * towards >= 0 ? one : other
}

function isTighter(price: f64, than: f64): boolean {
  // NaN differs from itself.
  return price > 0 && (than !== than || isFarther(price, than, direction))
}

/** Where the stop trails behind a best price. */
function behind(bestPrice: f64): f64 {
  const isFraction: boolean = (moves & trailsByFraction) !== 0
  return onMarketTick(market, trailedStop(bestPrice, direction, trailDistance, isFraction))
}

/** The stop in force once this price is reached; nothing is changed. */
export function stopAfter(reached: f64): f64 {
  let after: f64 = stop
  if ((moves & breaksEven) !== 0 && isActivated(reached, breakEvenActivation, direction)) {
    if (isTighter(breakEvenStop, after)) after = breakEvenStop
  }
  if ((moves & trails) === 0) return after
  const bestPrice: f64 = farther(reached, best, direction)
  const waits: boolean = (moves & waitsToTrail) !== 0
  if (waits && !isActivated(bestPrice, trailActivation, direction)) return after
  const trailed: f64 = behind(bestPrice)
  return isTighter(trailed, after) ? trailed : after
}

/**
 * The lowest stop, for a long, above the one in force on the way from the open to this price; NaN
 * where there is none.
 */
export function stopOnceTrailing(open: f64, reached: f64): f64 {
  let first: f64 = NaN
  if ((moves & breaksEven) !== 0 && isActivated(reached, breakEvenActivation, direction)) {
    // A stop beyond the price that activates it is passed there.
    if (isTighter(breakEvenStop, stop)) {
      first = farther(breakEvenActivation, breakEvenStop, -direction)
    }
  }
  if ((moves & trails) === 0) return first
  const waits: boolean = (moves & waitsToTrail) !== 0
  const from: f64 = farther(
    open,
    farther(best, waits ? trailActivation : best, direction),
    direction
  )
  const last: f64 = behind(farther(reached, best, direction))
  if (!isActivated(reached, from, direction) || !isTighter(last, stop)) return first
  const trailed: f64 = behind(from)
  // From below the stop in force on, it is raised from there.
  const raised: f64 = isTighter(trailed, stop) ? trailed : stop
  if (first !== first) return raised
  return direction === 1 ? lesser(first, raised) : greater(first, raised)
}

function tighten(price: f64, reason: i32): void {
  if (!isTighter(price, stop)) return
  stop = price
  stopReason = reason
}

/** Moves the stop that is looked at by the extremes of a shorter candle. */
export function raiseWatched(high: f64, low: f64): void {
  const reached: f64 = direction === 1 ? high : low
  if ((moves & breaksEven) !== 0 && isActivated(reached, breakEvenActivation, direction)) {
    tighten(breakEvenStop, byBreakEven)
  }
  if ((moves & trails) === 0) return
  if (isFarther(reached, best, direction)) best = reached
  const waits: boolean = (moves & waitsToTrail) !== 0
  if (waits && !isActivated(best, trailActivation, direction)) return
  tighten(behind(best), byTrailingStop)
}
