/**
 * How far prices went against positions, and for them, while they were held.
 *
 * @since 0.1.0
 */
import type { ClosedPosition } from "@candlewick/core/domain"
import type { PlainCandles } from "./bucketCandles.ts"
import { indexFrom } from "./indexFrom.ts"

/** How far prices went, as fractions of the entry price. @category models @since 0.1.0 */
export interface Excursion {
  /** The worst of it, 0 or below. */
  readonly against: number
  /** The best of it, 0 or above. */
  readonly inFavour: number
}

/**
 * The excursions of a position by the candles from its entry on, and by its exit price. The candle
 * of the exit is passed over, because its path before and after the exit is unknown.
 *
 * @category results
 * @since 0.1.0
 */
export const excursionOf = (
  position: Pick<
    ClosedPosition,
    "direction" | "entry_at" | "entry_price" | "exit_at" | "exit_price"
  >,
  candles: PlainCandles
): Excursion => {
  const { direction, entry_price: entry, exit_price: exit } = position
  let low = Math.min(entry, exit)
  let high = Math.max(entry, exit)
  const left = Date.parse(position.exit_at)
  for (
    let at = indexFrom(candles.time, Date.parse(position.entry_at));
    at < candles.length && candles.time[at]! < left;
    at++
  ) {
    low = Math.min(low, candles.low[at]!)
    high = Math.max(high, candles.high[at]!)
  }
  const [down, up] = [low / entry - 1, high / entry - 1]
  return direction === "long"
    ? { against: down, inFavour: up }
    : { against: 0 - up, inFavour: 0 - down }
}
