/**
 * The least quantity of a market that a bot can sell.
 *
 * @since 0.1.0
 */
import type { MarketSpec } from "@candlewick/engine/kernel"

/** The part of a step that sums of doubles may miss. */
const rounding = 1e-9

/** Whether so much of a market can be sold: a whole step, and the least notional at the price. */
export const isSellable = (
  { lot, minNotional }: Pick<MarketSpec, "lot" | "minNotional">,
  quantity: number,
  price: number
): boolean => {
  const size = Math.floor(quantity / lot + rounding) * lot
  return size > 0 && size * price >= minNotional
}
