/**
 * The results of a lot on other paths through a candle.
 *
 * Such a path exits elsewhere, and the candle does not tell it from the one that counts.
 *
 * @since 0.1.0
 */
import { greater, lesser } from "./arithmetic.ts"
import { chargedFee } from "./chargedFee.ts"
import { hasPassed } from "./matcherCodes.ts"
import { movesAt } from "./matcherLayout.ts"
import { slip } from "./fillRules.ts"
import { readDouble, readWord, writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { passedHighAt, passedLowAt } from "./stageLayout.ts"

/** Whether another path exits at a stop. */
export let hasOtherStops: boolean = false

/** The lowest price at which one does. */
export let otherStopLow: f64 = 0

/** The highest. */
export let otherStopHigh: f64 = 0

/** Whether another path exits at the target. */
export let hasOtherTarget: boolean = false

/** The price at which it does. */
export let otherTarget: f64 = 0

/** There are no other paths. */
export function clearOthers(): void {
  hasOtherStops = false
  hasOtherTarget = false
}

/** Another path exits at a stop of this price. */
export function addOtherStop(price: f64): void {
  otherStopLow = hasOtherStops ? lesser(otherStopLow, price) : price
  otherStopHigh = hasOtherStops ? greater(otherStopHigh, price) : price
  hasOtherStops = true
}

/** Another path exits at the target. */
export function addOtherTarget(price: f64): void {
  hasOtherTarget = true
  otherTarget = price
}

/** Whether there are other paths. */
export function hasOthers(): boolean {
  return hasOtherStops || hasOtherTarget
}

/** The other paths are these again, as they were kept. */
export function restoreOthers(
  hasStops: boolean,
  low: f64,
  high: f64,
  hasTarget: boolean,
  target: f64
): void {
  hasOtherStops = hasStops
  otherStopLow = low
  otherStopHigh = high
  hasOtherTarget = hasTarget
  otherTarget = target
}

/** Stops of other paths slip as the one that counts does. */
export function slipOthers(side: f64, rate: f64): void {
  otherStopLow = slip(side, otherStopLow, rate)
  otherStopHigh = slip(side, otherStopHigh, rate)
}

/** Keeps the results of other paths until the lot is closed. */
export function keepOthers(lot: i32): void {
  recallOthers(lot)
  writeDouble(lot + passedLowAt, otherStopLow)
  writeDouble(lot + passedHighAt, otherStopHigh)
  writeWord(lot + movesAt, readWord(lot + movesAt) | hasPassed)
  clearOthers()
}

/** Adds the results of other paths through earlier candles. */
export function recallOthers(lot: i32): void {
  if ((readWord(lot + movesAt) & hasPassed) === 0) return
  addOtherStop(readDouble(lot + passedLowAt))
  addOtherStop(readDouble(lot + passedHighAt))
}

/** The least that a path gives, or the most: of a result and those of the others. */
export function endOfPaths(
  market: i32,
  isMost: boolean,
  pnl: f64,
  direction: f64,
  quantity: f64,
  entryPrice: f64,
  entryFees: f64
): f64 {
  let end: f64 = pnl
  for (let nth: i32 = 0; nth < 3; nth++) {
    const isTarget: boolean = nth === 2
    if (isTarget ? !hasOtherTarget : !hasOtherStops) continue
    let price: f64 = nth === 0 ? otherStopLow : otherStopHigh
    if (isTarget) price = otherTarget
    const fee: f64 = chargedFee(market, quantity, price, isTarget)
    const other: f64 = direction * quantity * (price - entryPrice) - entryFees - fee
    end = isMost ? greater(end, other) : lesser(end, other)
  }
  return end
}
