/**
 * The prices of a position's stop and target, and the way a stop follows the price.
 *
 * Each rule stands here once, as those of fills do in `fillRules.ts`, and in the same language. A
 * side is that of the position: 1 is long, -1 is short. `away` is 1 for a level above a price and -1
 * for one below.
 *
 * @since 0.1.0
 */
import type { f64 } from "./number.ts"

/**
 * The price that is so large a part of a price away from it.
 *
 * @inline
 */
export function partAway(price: f64, away: f64, part: f64): f64 {
  return price * (1 + away * part)
}

/**
 * The price at a distance from a price.
 *
 * @inline
 */
export function distanceAway(price: f64, away: f64, distance: f64): f64 {
  return price + away * distance
}

/**
 * Whether a price has come to the one that activates a stop, or farther in the position's favour.
 *
 * @inline
 */
export function isActivated(price: f64, activation: f64, side: f64): boolean {
  return (price - activation) * side >= 0
}

/**
 * Whether a price is farther in the position's favour than another.
 *
 * A stop that moves only goes there: it is tighter than the one before.
 *
 * @inline
 */
export function isFarther(price: f64, than: f64, side: f64): boolean {
  return (price - than) * side > 0
}

/**
 * Where a stop trails behind the best price of a position, by a part of that price or a distance.
 *
 * @inline
 */
export function trailedStop(best: f64, side: f64, distance: f64, isFraction: boolean): f64 {
  return distanceAway(best, -side, isFraction ? best * distance : distance)
}
