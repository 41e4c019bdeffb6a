/**
 * The funds that orders of a model exchange lock, and whether an account can pay for one.
 *
 * @since 0.1.0
 */
import { BigDecimal } from "effect"
import { decimalOfUnsafe } from "../../domain/decimals.ts"
import {
  type Exchange,
  type ExchangeOrder,
  type ModelMarket,
  nothing,
  openOrdersOf,
  restOf
} from "./Exchange.ts"

const one = BigDecimal.fromBigInt(1n)

const withFee = (exchange: Exchange, { takerRate }: ModelMarket, cost: BigDecimal.BigDecimal) =>
  exchange.terms.feeCoin === "quote"
    ? BigDecimal.multiply(cost, BigDecimal.sum(one, decimalOfUnsafe(takerRate)))
    : cost

/** The coin that an order spends, and how much of it is locked for it. */
const lockOf = (
  exchange: Exchange,
  order: ExchangeOrder
): readonly [coin: string, amount: BigDecimal.BigDecimal] => {
  const market = exchange.terms.markets.get(order.symbol)!
  if (order.side === "buy") {
    const cost = BigDecimal.multiply(restOf(order), order.lockPrice)
    return [market.quote, withFee(exchange, market, cost)]
  }
  const isShared = exchange.terms.capabilities.canShareQuantity && order.stopPrice !== null
  return [market.base, isShared ? nothing : restOf(order)]
}

/** The free quantity of a coin in the account, without the locks of other open orders. */
export const freeOf = (
  exchange: Exchange,
  coin: string,
  besides: number | null = null
): BigDecimal.BigDecimal => {
  let free = exchange.balances.get(coin) ?? nothing
  for (const order of openOrdersOf(exchange)) {
    if (order.number === besides) continue
    const [locked, amount] = lockOf(exchange, order)
    if (locked === coin) free = BigDecimal.subtract(free, amount)
  }
  return free
}

const canPayOnSpot = (exchange: Exchange, order: ExchangeOrder): boolean => {
  const [coin, amount] = lockOf(exchange, order)
  const isShared = order.side === "sell" && BigDecimal.isZero(amount)
  return isShared
    ? BigDecimal.isGreaterThanOrEqualTo(exchange.balances.get(coin) ?? nothing, restOf(order))
    : BigDecimal.isGreaterThanOrEqualTo(freeOf(exchange, coin, order.number), amount)
}

/** The worth of an account with positions: its cash, and each position at the last price. */
const equityOf = ({ balances, positions, prices }: Exchange, quote: string) => {
  let equity = balances.get(quote) ?? nothing
  for (const [symbol, { cost, quantity }] of positions) {
    const worth = BigDecimal.multiply(quantity, prices.get(symbol) ?? nothing)
    equity = BigDecimal.sum(equity, BigDecimal.subtract(worth, cost))
  }
  return equity
}

const canPayOnMargin = (exchange: Exchange, order: ExchangeOrder): boolean => {
  if (order.isReduceOnly) return true
  const { leverage, markets } = exchange.terms
  let exposure = BigDecimal.multiply(restOf(order), order.lockPrice)
  for (const { isReduceOnly, lockPrice, ...other } of openOrdersOf(exchange)) {
    if (isReduceOnly || other.number === order.number) continue
    const rest = BigDecimal.subtract(other.quantity, other.filled)
    exposure = BigDecimal.sum(exposure, BigDecimal.multiply(rest, lockPrice))
  }
  const held = exchange.positions.get(order.symbol)?.quantity ?? nothing
  const isLess = BigDecimal.sign(held) === (order.side === "buy" ? -1 : 1)
  if (isLess && BigDecimal.isLessThanOrEqualTo(restOf(order), BigDecimal.abs(held))) return true
  for (const [symbol, { quantity }] of exchange.positions) {
    const price = exchange.prices.get(symbol) ?? nothing
    exposure = BigDecimal.sum(exposure, BigDecimal.multiply(BigDecimal.abs(quantity), price))
  }
  const equity = equityOf(exchange, markets.get(order.symbol)!.quote)
  const bound = BigDecimal.multiply(equity, BigDecimal.fromNumberUnsafe(leverage))
  return BigDecimal.isLessThanOrEqualTo(exposure, bound)
}

/** Whether the account can pay for the rest of an order. */
export const canPay = (exchange: Exchange, order: ExchangeOrder): boolean =>
  exchange.terms.capabilities.kind === "spot"
    ? canPayOnSpot(exchange, order)
    : canPayOnMargin(exchange, order)
