/**
 * At what price an order of a code strategy fills on a candle.
 *
 * @since 0.1.0
 */
import { fillLimit, fillMarket, fillStop } from "../fill.ts"
import type { QueuedOrder } from "./codeOrders.ts"
import type { OrderOptions } from "./orderOptions.ts"

/** A stretch of prices: a candle, or its open alone. */
export interface PriceRange {
  readonly open: number
  readonly high: number
  readonly low: number
}

/** The raw price at which the order fills within the prices, or NaN; triggers stop-limit orders. */
export const orderPrice = (
  order: QueuedOrder,
  range: PriceRange,
  { stopLimitGap }: OrderOptions
): number => {
  const { side, limit, stop } = order
  const { open, high, low } = range
  if (stop === null || order.isTriggered) {
    return limit === null ? fillMarket(open) : fillLimit(side, limit, open, high, low)
  }
  const trigger = fillStop(side, stop, open, high, low)
  if (Number.isNaN(trigger) || limit === null) return trigger
  order.isTriggered = true
  // A limit that does not lie beyond the stop may have been touched before it.
  const isBeyond = (limit - stop) * side > 0
  if (!isBeyond) return Number.NaN
  if (stopLimitGap === "open") return fillLimit(side, limit, trigger, high, low)
  const isReached = side === 1 ? low <= limit : high >= limit
  return isReached ? stop : Number.NaN
}
