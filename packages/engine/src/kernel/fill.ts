/**
 * The rules of `match/fillRules.ts` as the simulator and the paper broker ask for them, with steps
 * that are read from a market.
 *
 * @since 0.1.0
 */
import { floorToStep, inverseOf, roundToStep } from "../match/fillRules.ts"

export {
  cashAfter,
  feeOf,
  fillLimit,
  fillMarket,
  fillStop,
  fillStopLimit,
  inverseOf,
  passesLimit,
  passesStop,
  payableOf,
  slip,
  unitCost,
  unitProceeds
} from "../match/fillRules.ts"

/** The side of an order: 1 buys, -1 sells. @category models @since 0.1.0 */
export type SideSign = 1 | -1

/**
 * The nearest multiple of the tick; a tick of 0 leaves the price as it is.
 *
 * @category models
 * @since 0.1.0
 */
export const roundToTick = (price: number, tick: number): number =>
  roundToStep(price, tick, inverseOf(tick))

/**
 * The largest multiple of the lot that is not above the quantity; a lot of 0 leaves it as it is.
 *
 * @category models
 * @since 0.1.0
 */
export const floorToLot = (quantity: number, lot: number): number =>
  floorToStep(quantity, lot, inverseOf(lot))

/**
 * The nearest multiple of the lot; a lot of 0 leaves the quantity as it is.
 *
 * @category models
 * @since 0.1.0
 */
export const roundToLot = (quantity: number, lot: number): number => roundToTick(quantity, lot)

/**
 * The tick of a series: the coarsest power of ten, from 1 to 1e-8, on which all of its prices lie.
 *
 * **Details**
 *
 * Every price is looked at: one of them may be the only one that is so fine. A value further off a
 * step than sums of doubles are counts as finer, for a step that is too fine does no harm.
 *
 * @category models
 * @since 0.1.0
 */
export const inferTick = (prices: ReadonlyArray<Float64Array>): number => {
  let digits = 0
  let scale = 1
  for (const column of prices) {
    for (const price of column) {
      while (digits < 8) {
        const scaled = price * scale
        if (Math.abs(scaled - Math.round(scaled)) <= 1e-12 * Math.max(1, Math.abs(scaled))) break
        digits++
        scale *= 10
      }
      if (digits === 8) return 1e-8
    }
  }
  return 10 ** -digits
}
