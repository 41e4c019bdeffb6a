/**
 * At what price an order of a code strategy fills on a candle.
 *
 * @since 0.1.0
 */
import {
  fillLimit,
  fillMarket,
  fillStop,
  fillStopLimit,
  isLimitBeyond,
  passesLimit
} from "../fill.ts"
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
  if (stopLimitGap === "open") return fillStopLimit(side, stop, limit, trigger, high, low)
  const isReached = passesLimit(side, limit, side === 1 ? low : high)
  return isReached && isLimitBeyond(side, stop, limit) ? stop : Number.NaN
}
