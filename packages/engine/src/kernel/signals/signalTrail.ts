/**
 * Stops that follow the price.
 *
 * @since 0.1.0
 */
import { isFarther } from "../../match/levelRules.ts"
import type { Matcher } from "./signalMatcher.ts"
import {
  stopUnitLevel,
  numberAt,
  type SignalCandle,
  type SignalStopRules,
  type SignalStops
} from "./signalStops.ts"

/** Moves a trailing stop to where a candle takes it. @category kernels @since 0.1.0 */
export const trailSignalStops = (
  matcher: Matcher,
  stops: SignalStops,
  candle: SignalCandle,
  rules: SignalStopRules
): void => {
  if (rules.trailing === "none") return
  const { side } = stops
  const best = side === 1 ? candle.high : candle.low
  const reached = rules.trailing === "close" ? candle.close : best
  const distance = distanceAt(stops, reached, candle.index, rules)
  if (Number.isNaN(distance)) return
  stops.trailedBy = distance
  const level = stopUnitLevel(distance, reached, -side, rules)
  if (isFarther(level, matcher.stopOf(0), side)) matcher.trailTo(0, level)
}

/** The distance by which the stop trails a price; NaN where it does not. */
const distanceAt = (
  stops: SignalStops,
  reached: number,
  index: number,
  rules: SignalStopRules
): number => {
  const { trailingOffset, trailingStart, offsetDistance } = rules
  const gain = (reached - stops.base) * stops.side
  const profit = rules.stopUnit === "fraction" ? gain / stops.base : gain
  // An offset that is reached to the last bit but one is not passed.
  const isBeyond = profit > trailingOffset + 1e-9 * Math.abs(trailingOffset)
  if (!isBeyond && trailingStart === "offset") return Number.NaN
  if (isBeyond && offsetDistance !== null) return offsetDistance
  const current = numberAt(rules.stopLoss, index)
  const isTaken = rules.trailingDistance === "each_candle" && !Number.isNaN(current)
  return isTaken ? current : stops.distance
}

/**
 * The fill of a stop that trails on the candle of the entry when the price went no further than it
 * had to.
 *
 * @category kernels
 * @since 0.1.0
 */
export const worstTrailedPrice = (
  { base, side, trailedBy }: SignalStops,
  { high, low }: SignalCandle,
  rules: SignalStopRules
): number => {
  const gained = rules.trailingStart === "offset" ? rules.trailingOffset : 0
  const price = stopUnitLevel(gained - trailedBy, base, side, rules)
  return Math.min(Math.max(price, low), high)
}
