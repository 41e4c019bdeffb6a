/**
 * Prices of stops and targets.
 *
 * @since 0.1.0
 */
import { levelColumnAt, levelKindAt } from "./layout.ts"
import { distanceLevel, fractionLevel, noLevel } from "../../match/matcherCodes.ts"
import { onTick } from "./market.ts"
import { readDouble, readWord } from "./memory.ts"
import { distanceAway, isFarther, partAway } from "../../match/levelRules.ts"
import type { f64, i32 } from "../../match/number.ts"

/** Whether a level is given. */
export function isLevel(level: i32): boolean {
  return readWord(level + levelKindAt) !== noLevel
}

/** Whether a level is a fraction of the price. */
export function isFraction(level: i32): boolean {
  return readWord(level + levelKindAt) === fractionLevel
}

/** The value of a level at a candle: a fraction, a distance or a price. */
export function levelValue(level: i32, index: i32): f64 {
  const value: f64 = readDouble(level)
  if (isFraction(level)) return value
  return readDouble(readWord(level + levelColumnAt) + (index << 3)) * value
}

/**
 * The price of a level by its parts, for who asks often; `away` is 1 above a price, -1 below.
 *
 * @inline
 */
export function levelBy(
  kind: i32,
  value: f64,
  column: i32,
  index: i32,
  price: f64,
  away: f64
): f64 {
  if (kind === fractionLevel) return partAway(price, away, value)
  const read: f64 = readDouble(column + (index << 3)) * value
  return kind === distanceLevel ? distanceAway(price, away, read) : read
}

/** The price of a level that is given. */
export function levelAt(level: i32, index: i32, price: f64, away: f64): f64 {
  const column: i32 = readWord(level + levelColumnAt)
  return levelBy(readWord(level + levelKindAt), readDouble(level), column, index, price, away)
}

/** The price at which a level is set, or 0 where there is none. */
export function levelFor(level: i32, index: i32, price: f64, away: f64): f64 {
  return isLevel(level) ? onTick(levelAt(level, index, price, away)) : 0
}

/**
 * Whether a stop is not on the side of a price on which it can be. `side` is that of the position.
 *
 * @inline
 */
export function isBehindPrice(stop: f64, price: f64, side: f64): boolean {
  return !isFarther(price, stop, side)
}

/** The distance of an order's stop below a price, or above it for a short. */
export function stopDistance(stopLevel: i32, index: i32, price: f64, side: f64): f64 {
  return (price - levelAt(stopLevel, index, price, -side)) * side
}
