/**
 * The orders that a model exchange takes, and those it refuses.
 *
 * @since 0.1.0
 */
import { BigDecimal, HashMap, Option } from "effect"
import { faultOfAmounts, orderAmountsOf } from "../../domain/orderTerms.ts"
import { venueIdPatterns } from "../../domain/venueIds.ts"
import { type VenueError, VenueRefused } from "../../domain/VenueError.ts"
import type { VenueOrder } from "../../ports/Venue.ts"
import { type ExchangeOrder, nothing, newestOrder } from "./Exchange.ts"
import { canPay } from "./exchangeFunds.ts"
import { delayOf, type ExchangeDraft, endExchangeOrder, happens } from "./fillOrder.ts"
import { isReached } from "./matchOrders.ts"

/** An order that somebody places by hand. @category models @since 0.1.0 */
export type OrderByHand = Omit<VenueOrder, "id" | "sentAtMs">

type Code = VenueRefused["code"]

const refuse = (code: Code, why: string): VenueError["reason"] => new VenueRefused({ code, why })

const invalid = (why: string): VenueError["reason"] => refuse("invalid_order", why)

type Amount = BigDecimal.BigDecimal

const faultOfType = (
  { positions, terms: { capabilities } }: ExchangeDraft,
  { expiresAtMs, isImmediate, isReduceOnly, side, stopPrice, symbol }: ExchangeOrder,
  price: Amount
): VenueError["reason"] | null => {
  if (stopPrice !== null && !capabilities.hasStops) return invalid("there are no stop orders")
  if (stopPrice !== null && isReached(side, stopPrice, price)) {
    return invalid("the stop would be triggered at once")
  }
  if (isImmediate && !capabilities.hasImmediate) return invalid("there are no immediate orders")
  if (expiresAtMs !== null && !capabilities.hasExpiry) return invalid("orders have no time limit")
  if (!isReduceOnly) return null
  if (!capabilities.hasReduceOnly) return invalid("there are no reduce-only orders")
  const held = positions.get(symbol)?.quantity ?? nothing
  const isOpposite = BigDecimal.sign(held) === (side === "buy" ? -1 : 1)
  return isOpposite ? null : invalid("there is nothing to reduce")
}

/** The order as the exchange would have it, or the reason to refuse it. */
const readExchangeOrder = (
  draft: ExchangeDraft,
  id: string | null,
  order: OrderByHand
): ExchangeOrder | VenueError["reason"] => {
  const market = draft.terms.markets.get(order.symbol)
  if (market === undefined) return invalid(`there is no market ${order.symbol}`)
  const price = draft.prices.get(order.symbol)
  if (price === undefined || draft.closed.has(order.symbol)) {
    return refuse("market_closed", `${order.symbol} is closed`)
  }
  const amounts = orderAmountsOf(order)
  if (Option.isNone(amounts)) return invalid("the amounts don't fit the type of the order")
  const lockPrice = amounts.value.limitPrice ?? amounts.value.stopPrice ?? price
  const read: ExchangeOrder = {
    ...amounts.value,
    number: draft.orderCount,
    id,
    symbol: order.symbol,
    side: order.side,
    type: order.type,
    isReduceOnly: order.isReduceOnly,
    isImmediate: order.isImmediate === true,
    expiresAtMs: order.expiresAtMs ?? null,
    lockPrice,
    takenAtMs: draft.nowMs + draft.skewMs,
    fillFromMs: draft.nowMs,
    isTriggered: false,
    isResting: false,
    filled: nothing,
    status: "open"
  }
  const wrong = faultOfAmounts(market, amounts.value, lockPrice)
  if (wrong !== null) return invalid(wrong)
  const fault = faultOfType(draft, read, price)
  if (fault !== null) return fault
  return canPay(draft, read) ? read : refuse("insufficient_funds", "the account has too little")
}

/** Whether an order that is open has the id. */
export const isIdOpen = (draft: ExchangeDraft, id: string): boolean =>
  Option.exists(newestOrder(draft, id), ({ status }) => status === "open")

/** Takes an order, or gives the reason to refuse it. */
export const acceptOrder = (
  draft: ExchangeDraft,
  id: string | null,
  order: OrderByHand
): VenueError["reason"] | null => {
  const { capabilities, habits } = draft.terms
  if (id !== null && !venueIdPatterns[capabilities.idForm].test(id)) {
    return invalid(`the id is not ${capabilities.idForm}`)
  }
  const read = readExchangeOrder(draft, id, order)
  if ("_tag" in read) return read
  const taken = { ...read, fillFromMs: draft.nowMs + delayOf(draft, habits.fillDelayMs) }
  draft.orders = HashMap.set(draft.orders, taken.number, taken)
  draft.orderCount += 1
  draft.open = [...draft.open, taken.number]
  if (id !== null) draft.numbers = HashMap.set(draft.numbers, id, taken.number)
  draft.hints.push("order")
  if (happens(draft, habits.rejectChance)) endExchangeOrder(draft, taken, "rejected")
  return null
}
