/**
 * The state of a model exchange with one account, and the questions that it answers.
 *
 * A state is a value: each step makes another one, so that an answer can show how things were a
 * moment ago.
 *
 * @since 0.1.0
 */
import { BigDecimal, HashMap, Option } from "effect"
import { decimalOfUnsafe, decimalText } from "../../domain/decimals.ts"
import type {
  Decimal,
  VenueCapabilities,
  VenueHoldings,
  VenueMarket,
  VenueOrder,
  VenueOrderState,
  VenuePayment,
  VenueTrade,
  VenueTrades
} from "../../ports/Venue.ts"

/** A market of a model exchange. @category models @since 0.1.0 */
export interface ModelMarket extends VenueMarket {
  readonly makerRate: Decimal
  readonly takerRate: Decimal
  /** The price before the first tick; without one the market is closed until then. */
  readonly price?: Decimal | undefined
}

/**
 * The coin of fees: that of the prices, that which an order brings, or a third one. The third one
 * has this price, and serves as long as it lasts.
 *
 * @category models
 * @since 0.1.0
 */
export type FeeCoin = "quote" | "received" | { readonly coin: string; readonly price: Decimal }

/** Habits that make an exchange hard to follow; all are off by default. */
export interface ExchangeHabits {
  /** The chance that a fill is a part of the possible quantity. */
  readonly partChance: number
  /** The chance that an order is rejected after the exchange has taken it. */
  readonly rejectChance: number
  /** An order is filled up to this long after it could be. */
  readonly fillDelayMs: number
  /**
   * A trade is reported up to this long after its fill, so that trades are reported out of order.
   */
  readonly tellDelayMs: number
  /** The chance that a trade is reported twice. */
  readonly repeatChance: number
}

/** The rules of an exchange. @category models @since 0.1.0 */
export interface ExchangeTerms {
  readonly capabilities: VenueCapabilities
  readonly markets: ReadonlyMap<string, ModelMarket>
  readonly feeCoin: FeeCoin
  readonly habits: ExchangeHabits
  /** Of `one_way`: how often the equity may be held. */
  readonly leverage: number
  /** Trades in one answer. */
  readonly pageSize: number
}

/** An order as the exchange has it. @category models @since 0.1.0 */
export interface ExchangeOrder {
  /** The place among all orders. */
  readonly number: number
  /** Null where it was placed by hand. */
  readonly id: string | null
  readonly symbol: string
  readonly side: VenueOrder["side"]
  readonly type: VenueOrder["type"]
  readonly quantity: BigDecimal.BigDecimal
  readonly limitPrice: BigDecimal.BigDecimal | null
  readonly stopPrice: BigDecimal.BigDecimal | null
  readonly isReduceOnly: boolean
  /** Whether it ends with its first chance to fill. */
  readonly isImmediate: boolean
  /** Epoch milliseconds of the exchange's own clock at which it ends; null for never. */
  readonly expiresAtMs: number | null
  /** The price at which a unit is reserved. */
  readonly lockPrice: BigDecimal.BigDecimal
  /** Epoch milliseconds of the exchange's own clock. */
  readonly takenAtMs: number
  readonly fillFromMs: number
  readonly isTriggered: boolean
  /** Whether it waited for its price, and so pays the maker's rate. */
  readonly isResting: boolean
  readonly filled: BigDecimal.BigDecimal
  readonly status: VenueOrderState["status"]
}

/** The events that an exchange reports by its cursor. */
export type VenueReport = VenueTrade | VenuePayment

/** A position of a `one_way` exchange; both are negative for a short. */
export interface ExchangePosition {
  readonly quantity: BigDecimal.BigDecimal
  /** The price paid for it. */
  readonly cost: BigDecimal.BigDecimal
}

/** The state of an exchange. @category models @since 0.1.0 */
export interface Exchange {
  readonly terms: ExchangeTerms
  /** How far the exchange's clock is ahead. */
  readonly skewMs: number
  readonly isDown: boolean
  readonly closed: ReadonlySet<string>
  readonly prices: ReadonlyMap<string, BigDecimal.BigDecimal>
  /** Every order that was ever taken, by its number. */
  readonly orders: HashMap.HashMap<number, ExchangeOrder>
  readonly orderCount: number
  /** The newest order of each id. */
  readonly numbers: HashMap.HashMap<string, number>
  /** Numbers of open orders, the oldest first. */
  readonly open: ReadonlyArray<number>
  /** Every trade that ever happened, by its place. */
  readonly trades: HashMap.HashMap<number, VenueTrade>
  readonly tradeCount: number
  readonly paymentCount: number
  /** Trades and payments as they are reported, by their place; one may stand there twice. */
  readonly told: HashMap.HashMap<number, VenueReport>
  readonly toldCount: number
  readonly untold: ReadonlyArray<{ readonly tellAtMs: number; readonly one: VenueReport }>
  readonly balances: ReadonlyMap<string, BigDecimal.BigDecimal>
  readonly positions: ReadonlyMap<string, ExchangePosition>
}

/** Nothing of a coin. */
export const nothing = BigDecimal.fromBigInt(0n)

/** An exchange on which nothing has happened. @category exchange @since 0.1.0 */
export const openExchange = (
  terms: ExchangeTerms,
  balances: Readonly<Record<string, Decimal>>
): Exchange => ({
  terms,
  skewMs: 0,
  isDown: false,
  closed: new Set(),
  prices: new Map(
    [...terms.markets.values()].flatMap(({ price, symbol }) =>
      price === undefined ? [] : [[symbol, decimalOfUnsafe(price)]]
    )
  ),
  orders: HashMap.empty(),
  orderCount: 0,
  numbers: HashMap.empty(),
  open: [],
  trades: HashMap.empty(),
  tradeCount: 0,
  paymentCount: 0,
  told: HashMap.empty(),
  toldCount: 0,
  untold: [],
  balances: new Map(
    Object.entries(balances).map(([coin, amount]) => [coin, decimalOfUnsafe(amount)])
  ),
  positions: new Map()
})

/** An order by its number. */
export const orderByNumber = ({ orders }: Exchange, number: number): ExchangeOrder =>
  HashMap.getUnsafe(orders, number)

/** All open orders, the oldest first. */
export const openOrdersOf = (exchange: Exchange): ReadonlyArray<ExchangeOrder> =>
  exchange.open.map((number) => orderByNumber(exchange, number))

/** The newest order of an id. @category exchange @since 0.1.0 */
export const newestOrder = (exchange: Exchange, id: string): Option.Option<ExchangeOrder> =>
  Option.map(HashMap.get(exchange.numbers, id), (number) => orderByNumber(exchange, number))

/** All orders that were ever taken, the oldest first. @category exchange @since 0.1.0 */
export const ordersOf = (exchange: Exchange): ReadonlyArray<ExchangeOrder> =>
  Array.from({ length: exchange.orderCount }, (_, number) => orderByNumber(exchange, number))

/** All trades that ever happened, the oldest first. @category exchange @since 0.1.0 */
export const tradesOf = ({ tradeCount, trades }: Exchange): ReadonlyArray<VenueTrade> =>
  Array.from({ length: tradeCount }, (_, place) => HashMap.getUnsafe(trades, place))

/** The part of an order that remains to be filled. */
export const restOf = ({ filled, quantity }: ExchangeOrder): BigDecimal.BigDecimal =>
  BigDecimal.subtract(quantity, filled)

/** An order as a caller sees it. @category exchange @since 0.1.0 */
export const orderStateOf = (order: ExchangeOrder): VenueOrderState => ({
  id: order.id ?? `by-hand-${order.number}`,
  symbol: order.symbol,
  side: order.side,
  status: order.status,
  quantity: decimalText(order.quantity),
  filledQuantity: decimalText(order.filled)
})

const cursorAt = (place: number): string => `c${place.toString(36)}`

const placeOf = (cursor: string | null): number =>
  cursor === null ? 0 : Number.parseInt(cursor.slice(1), 36)

/** The trades that were reported after a cursor. @category exchange @since 0.1.0 */
export const tradesAfter = (
  { terms: { pageSize }, told, toldCount }: Exchange,
  cursor: string | null
): VenueTrades => {
  const from = placeOf(cursor)
  // An answer that shows how things were may know less than the cursor.
  const until = Math.max(from, Math.min(toldCount, from + pageSize))
  const page = Array.from({ length: until - from }, (_, nth) => HashMap.getUnsafe(told, from + nth))
  const isPayment = (one: VenueReport): one is VenuePayment => "amount" in one
  return {
    trades: page.filter((one): one is VenueTrade => !isPayment(one)),
    payments: page.filter(isPayment),
    cursor: cursorAt(until),
    hasMore: until < toldCount
  }
}

const textsOf = (
  amounts: Iterable<readonly [string, BigDecimal.BigDecimal]>
): ReadonlyMap<string, Decimal> =>
  new Map(
    [...amounts]
      .filter(([, amount]) => !BigDecimal.isZero(amount))
      .map(([name, amount]) => [name, decimalText(amount)])
  )

/** The holdings of the account. @category exchange @since 0.1.0 */
export const holdingsOf = ({ balances, positions }: Exchange): VenueHoldings => ({
  balances: textsOf(balances),
  positions: textsOf([...positions].map(([symbol, { quantity }]) => [symbol, quantity]))
})
