/**
 * The fills of a model exchange's open orders: their quantity and price.
 *
 * @since 0.1.0
 */
import { BigDecimal } from "effect"
import { decimalOfUnsafe, floorDecimalToStep } from "../../domain/decimals.ts"
import { type ExchangeOrder, nothing, orderByNumber, restOf } from "./Exchange.ts"
import {
  type ExchangeDraft,
  endExchangeOrder,
  fillOrder,
  happens,
  keepExchangeOrder
} from "./fillOrder.ts"

type Amount = BigDecimal.BigDecimal

/** Whether the price has reached a stop, from below for a buy, from above for a sell. */
export const isReached = (side: ExchangeOrder["side"], stop: Amount, price: Amount): boolean =>
  side === "buy"
    ? BigDecimal.isGreaterThanOrEqualTo(price, stop)
    : BigDecimal.isLessThanOrEqualTo(price, stop)

/** The price at which an order can be filled, or null. */
const fillPrice = (order: ExchangeOrder, price: Amount): Amount | null => {
  const { isResting, limitPrice, side } = order
  if (limitPrice === null) return price
  const isMet =
    side === "buy"
      ? BigDecimal.isLessThanOrEqualTo(price, limitPrice)
      : BigDecimal.isGreaterThanOrEqualTo(price, limitPrice)
  if (!isMet) return null
  return isResting ? limitPrice : price
}

/** The quantity that may be filled: the rest, and of a reduce-only order no more than is held. */
const fillable = (draft: ExchangeDraft, order: ExchangeOrder): Amount => {
  const rest = restOf(order)
  if (!order.isReduceOnly) return rest
  const held = draft.positions.get(order.symbol)?.quantity ?? nothing
  const isOpposite = BigDecimal.sign(held) === (order.side === "buy" ? -1 : 1)
  return isOpposite ? BigDecimal.min(rest, BigDecimal.abs(held)) : nothing
}

const partOf = (draft: ExchangeDraft, symbol: string, quantity: Amount): Amount => {
  if (!happens(draft, draft.terms.habits.partChance)) return quantity
  const step = decimalOfUnsafe(draft.terms.markets.get(symbol)!.quantityStep)
  const share = BigDecimal.make(BigInt(1 + Math.floor(draft.random() * 98)), 2)
  const part = floorDecimalToStep(BigDecimal.multiply(quantity, share), step)
  return BigDecimal.isZero(part) ? BigDecimal.min(step, quantity) : part
}

/** Has a stop that is reached become an order at the market, or at its limit. */
const triggered = (
  draft: ExchangeDraft,
  order: ExchangeOrder,
  price: Amount
): ExchangeOrder | null => {
  if (order.stopPrice === null || order.isTriggered) return order
  if (!isReached(order.side, order.stopPrice, price)) return null
  const live = { ...order, isTriggered: true }
  keepExchangeOrder(draft, live)
  draft.hints.push("order")
  return live
}

const matchOrder = (draft: ExchangeDraft, number: number): void => {
  const found = orderByNumber(draft, number)
  const price = draft.prices.get(found.symbol)
  const { expiresAtMs } = found
  if (expiresAtMs !== null && draft.nowMs + draft.skewMs >= expiresAtMs) {
    return endExchangeOrder(draft, found, "expired")
  }
  if (price === undefined || draft.closed.has(found.symbol)) return
  if (draft.nowMs < found.fillFromMs) return
  const order = triggered(draft, found, price)
  if (order === null) return
  const at = fillPrice(order, price)
  if (at === null) {
    if (order.isImmediate) return endExchangeOrder(draft, order, "expired")
    if (!order.isResting) keepExchangeOrder(draft, { ...order, isResting: true })
    return
  }
  const most = fillable(draft, order)
  if (BigDecimal.isZero(most)) return endExchangeOrder(draft, order, "expired")
  fillOrder(draft, order, partOf(draft, order.symbol, most), at)
  const filled = orderByNumber(draft, number)
  if (filled.isImmediate && filled.status === "open") endExchangeOrder(draft, filled, "expired")
}

/** Fills the orders that can be filled now, the oldest first. */
export const matchOrders = (draft: ExchangeDraft): void => {
  if (draft.isDown) return
  for (const number of draft.open) matchOrder(draft, number)
}
