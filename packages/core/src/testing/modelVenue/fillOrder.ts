/**
 * Fills of a model exchange: the balances that a trade moves, its fee, and the time of its report.
 *
 * @since 0.1.0
 */
import { BigDecimal, HashMap } from "effect"
import { decimalOfUnsafe, decimalText } from "../../domain/decimals.ts"
import type { VenueHint, VenueTrade } from "../../ports/Venue.ts"
import {
  type Exchange,
  type ExchangeOrder,
  type ExchangePosition,
  type ModelMarket,
  nothing,
  type VenueReport
} from "./Exchange.ts"
import { freeOf } from "./exchangeFunds.ts"

/** A state that a step is at work on. */
export type ExchangeDraft = { -readonly [Key in keyof Exchange]: Exchange[Key] } & {
  readonly nowMs: number
  /** Numbers from 0 up to 1. */
  readonly random: () => number
  readonly hints: Array<VenueHint>
}

/** Places after the point that an amount of a coin has at most. */
const coinScale = 8

type Order = ExchangeOrder
type Amount = BigDecimal.BigDecimal

interface Fee {
  readonly coin: string
  readonly amount: Amount
}

/** A draw of whether something with a chance happens; without a chance nothing is drawn. */
export const happens = ({ random }: ExchangeDraft, chance: number): boolean =>
  chance > 0 && random() < chance

/** A draw of a delay in whole milliseconds; without one nothing is drawn. */
export const delayOf = ({ random }: ExchangeDraft, mostMs: number): number =>
  mostMs > 0 ? Math.floor(random() * (mostMs + 1)) : 0

/** Writes an order as it is now. */
export const keepExchangeOrder = (draft: ExchangeDraft, order: Order): void => {
  draft.orders = HashMap.set(draft.orders, order.number, order)
}

/** Ends an order before it is filled whole. */
export const endExchangeOrder = (
  draft: ExchangeDraft,
  order: Order,
  status: "cancelled" | "expired" | "rejected"
): void => {
  keepExchangeOrder(draft, { ...order, status })
  draft.open = draft.open.filter((number) => number !== order.number)
  draft.hints.push("order", "balance")
}

const addTo = (draft: ExchangeDraft, coin: string, amount: Amount): void => {
  const before = draft.balances.get(coin) ?? nothing
  draft.balances = new Map(draft.balances).set(coin, BigDecimal.sum(before, amount))
}

/** The amount of a coin that a fee may take: that no order locks, and that a trade brings. */
const freeFor = (
  draft: ExchangeDraft,
  coin: string,
  { base }: ModelMarket,
  { side }: Order,
  { quantity }: Traded
): Amount => {
  if (draft.terms.capabilities.kind !== "spot") return draft.balances.get(coin) ?? nothing
  // A sale moves coins that its order locks.
  const free = freeOf(draft, coin)
  return coin === base && side === "buy" ? BigDecimal.sum(free, quantity) : free
}

const feeOf = (draft: ExchangeDraft, market: ModelMarket, order: Order, traded: Traded): Fee => {
  const { feeCoin } = draft.terms
  const rate = decimalOfUnsafe(order.isResting ? market.makerRate : market.takerRate)
  const inQuote = BigDecimal.multiply(traded.notional, rate)
  if (typeof feeCoin === "object") {
    const exact = BigDecimal.divideUnsafe(inQuote, decimalOfUnsafe(feeCoin.price))
    const amount = BigDecimal.round(exact, { scale: coinScale, mode: "ceil" })
    const has = freeFor(draft, feeCoin.coin, market, order, traded)
    if (BigDecimal.isGreaterThanOrEqualTo(has, amount)) return { coin: feeCoin.coin, amount }
  }
  const isInBase =
    feeCoin !== "quote" && order.side === "buy" && draft.terms.capabilities.kind === "spot"
  return isInBase
    ? { coin: market.base, amount: BigDecimal.multiply(traded.quantity, rate) }
    : { coin: market.quote, amount: inQuote }
}

interface Traded {
  readonly quantity: Amount
  readonly price: Amount
  readonly notional: Amount
}

/** The position after a trade, and the realised part of its cost. */
const moved = (
  { cost, quantity }: ExchangePosition,
  signed: Amount,
  price: Amount
): { readonly position: ExchangePosition; readonly realised: Amount } => {
  const isSame = BigDecimal.sign(quantity) * BigDecimal.sign(signed) >= 0
  const add = (amount: Amount, from: ExchangePosition): ExchangePosition => ({
    quantity: BigDecimal.sum(from.quantity, amount),
    cost: BigDecimal.sum(from.cost, BigDecimal.multiply(amount, price))
  })
  if (isSame) return { position: add(signed, { cost, quantity }), realised: nothing }
  const isWhole = BigDecimal.isGreaterThanOrEqualTo(
    BigDecimal.abs(signed),
    BigDecimal.abs(quantity)
  )
  const closing = isWhole ? BigDecimal.negate(quantity) : signed
  const share = BigDecimal.multiply(cost, BigDecimal.negate(closing))
  const closedCost = isWhole
    ? cost
    : BigDecimal.round(BigDecimal.divideUnsafe(share, quantity), { scale: coinScale })
  const worth = BigDecimal.multiply(BigDecimal.negate(closing), price)
  const left: ExchangePosition = {
    quantity: BigDecimal.sum(quantity, closing),
    cost: BigDecimal.subtract(cost, closedCost)
  }
  return {
    position: add(BigDecimal.subtract(signed, closing), left),
    realised: BigDecimal.subtract(worth, closedCost)
  }
}

const settle = (draft: ExchangeDraft, market: ModelMarket, order: Order, traded: Traded): void => {
  const signed = order.side === "buy" ? traded.quantity : BigDecimal.negate(traded.quantity)
  if (draft.terms.capabilities.kind === "spot") {
    const cost = order.side === "buy" ? BigDecimal.negate(traded.notional) : traded.notional
    addTo(draft, market.base, signed)
    addTo(draft, market.quote, cost)
    return
  }
  const before = draft.positions.get(order.symbol) ?? { quantity: nothing, cost: nothing }
  const { position, realised } = moved(before, signed, traded.price)
  draft.positions = new Map(draft.positions).set(order.symbol, position)
  addTo(draft, market.quote, realised)
}

/** Whether the account has the balance for a trade on spot. */
const canSettle = (
  draft: ExchangeDraft,
  market: ModelMarket,
  order: Order,
  traded: Traded,
  fee: Fee
) => {
  if (draft.terms.capabilities.kind !== "spot") return true
  if (order.side === "sell") {
    const has = draft.balances.get(market.base) ?? nothing
    return BigDecimal.isGreaterThanOrEqualTo(has, traded.quantity)
  }
  const inQuote = fee.coin === market.quote ? fee.amount : nothing
  const cost = BigDecimal.sum(traded.notional, inQuote)
  return BigDecimal.isGreaterThanOrEqualTo(freeOf(draft, market.quote, order.number), cost)
}

const tell = (draft: ExchangeDraft, one: VenueReport): void => {
  draft.told = HashMap.set(draft.told, draft.toldCount, one)
  draft.toldCount += 1
  draft.hints.push("trade")
}

/** Reports the trades that are due, in the order in which they are. */
export const reportDue = (draft: ExchangeDraft): void => {
  if (!draft.untold.some(({ tellAtMs }) => tellAtMs <= draft.nowMs)) return
  const due = draft.untold.filter(({ tellAtMs }) => tellAtMs <= draft.nowMs)
  draft.untold = draft.untold.filter(({ tellAtMs }) => tellAtMs > draft.nowMs)
  for (const { one } of due.sort((first, other) => first.tellAtMs - other.tellAtMs)) {
    tell(draft, one)
  }
}

/** Reports something as late and as often as the exchange has it. */
const tellAtLast = (draft: ExchangeDraft, one: VenueReport): void => {
  const { repeatChance, tellDelayMs } = draft.terms.habits
  const tellings = happens(draft, repeatChance) ? 2 : 1
  for (let nth = 0; nth < tellings; nth++) {
    const delayMs = delayOf(draft, tellDelayMs)
    if (delayMs === 0) tell(draft, one)
    else draft.untold = [...draft.untold, { tellAtMs: draft.nowMs + delayMs, one }]
  }
}

const keepTrade = (
  draft: ExchangeDraft,
  order: Order,
  { price, quantity }: Traded,
  fee: Fee
): void => {
  const trade: VenueTrade = {
    id: `trade-${draft.tradeCount + 1}`,
    orderId: order.id,
    symbol: order.symbol,
    side: order.side,
    quantity: decimalText(quantity),
    price: decimalText(price),
    fee: { amount: decimalText(fee.amount), currency: fee.coin },
    timeMs: draft.nowMs + draft.skewMs
  }
  draft.trades = HashMap.set(draft.trades, draft.tradeCount, trade)
  draft.tradeCount += 1
  tellAtLast(draft, trade)
}

/**
 * Makes the account pay or get funding on its position in a market: longs pay at a rate above 0.
 */
export const fund = (draft: ExchangeDraft, symbol: string, rate: string): void => {
  const held = draft.positions.get(symbol)?.quantity ?? nothing
  const price = draft.prices.get(symbol)
  if (price === undefined || BigDecimal.isZero(held)) return
  const worth = BigDecimal.multiply(BigDecimal.multiply(held, price), decimalOfUnsafe(rate))
  const amount = BigDecimal.round(BigDecimal.negate(worth), { scale: coinScale })
  const { quote } = draft.terms.markets.get(symbol)!
  addTo(draft, quote, amount)
  draft.paymentCount += 1
  draft.hints.push("balance")
  tellAtLast(draft, {
    id: `funding-${draft.paymentCount}`,
    type: "funding",
    symbol,
    amount: decimalText(amount),
    currency: quote,
    quantity: decimalText(held),
    timeMs: draft.nowMs + draft.skewMs
  })
}

/** Fills some of an order; an order that the account can't pay for any more expires. */
export const fillOrder = (
  draft: ExchangeDraft,
  order: Order,
  quantity: Amount,
  price: Amount
): void => {
  const market = draft.terms.markets.get(order.symbol)!
  const traded: Traded = { quantity, price, notional: BigDecimal.multiply(quantity, price) }
  const fee = feeOf(draft, market, order, traded)
  if (!canSettle(draft, market, order, traded, fee))
    return endExchangeOrder(draft, order, "expired")
  const filled = BigDecimal.sum(order.filled, quantity)
  const isWhole = BigDecimal.equals(filled, order.quantity)
  settle(draft, market, order, traded)
  addTo(draft, fee.coin, BigDecimal.negate(fee.amount))
  // The rest of an order in parts waits for the next moment at least.
  const fillFromMs = draft.nowMs + 1 + delayOf(draft, draft.terms.habits.fillDelayMs)
  keepExchangeOrder(draft, { ...order, filled, fillFromMs, status: isWhole ? "filled" : "open" })
  if (isWhole) draft.open = draft.open.filter((number) => number !== order.number)
  draft.hints.push("order", "balance")
  keepTrade(draft, order, traded, fee)
}
