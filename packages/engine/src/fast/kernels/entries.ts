/**
 * The beginning of a position: the side that rules ask for, the check of its stop, and its entry
 * price.
 *
 * @since 0.1.0
 */
import { slip } from "../../match/fillRules.ts"
import type { f64, i32 } from "../../match/number.ts"
import { hasBit } from "./bits.ts"
import { isBehindPrice, isLevel, levelAt } from "./levels.ts"
import { canShort, marketPriceIn, slippageRate, tileStart } from "./market.ts"

/**
 * The side that can be entered at a candle, or 0; both at once cancel each other.
 *
 * @inline
 */
export function enteredSide(longEntries: i32, shortEntries: i32, index: i32): f64 {
  const isLong: i32 = hasBit(longEntries, index - tileStart)
  if (isLong === hasBit(shortEntries, index - tileStart)) return 0
  return isLong === 1 ? 1 : canShort === 1 ? -1 : 0
}

/** Whether the stop that an order would have is on the wrong side of the price. */
export function isBehind(stopLevel: i32, index: i32, price: f64, side: f64): boolean {
  return isLevel(stopLevel) && isBehindPrice(levelAt(stopLevel, index, price, -side), price, side)
}

/**
 * The price of a market order that this candle fills and that opens a position.
 *
 * @inline
 */
export function entryPriceIn(index: i32, side: f64): f64 {
  return slip(side, marketPriceIn(index), slippageRate)
}
