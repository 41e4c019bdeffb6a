/**
 * The record of an account at the paper venue.
 *
 * The matcher counts in doubles, and the venue reports decimals. So the text of each fill is fixed
 * when it happens, and balances are the sums of these texts.
 *
 * @since 0.1.0
 */
import { BigDecimal, Schema } from "effect"
import type { MarketSpec, MatchFill } from "@candlewick/engine/kernel"
import { decimalOfUnsafe, decimalText, floorDecimalToStep } from "../../domain/decimals.ts"
import { PaperOrderMachine } from "../../domain/PaperOrderMachine.ts"
import type { Decimal, VenueMarket, VenueOrderState, VenueTrade } from "../../ports/Venue.ts"

/** A market of the paper venue. @category models @since 0.1.0 */
export interface PaperMarket extends VenueMarket {
  readonly makerRate: Decimal
  readonly takerRate: Decimal
  /** How far fills of market and stop orders are from the price, as a fraction of it. */
  readonly slippageRate?: Decimal | undefined
}

const Side = Schema.Literals(["buy", "sell"])

const Trade = Schema.Struct({
  id: Schema.String,
  orderId: Schema.String,
  symbol: Schema.String,
  side: Side,
  quantity: Schema.String,
  price: Schema.String,
  fee: Schema.Struct({ amount: Schema.String, currency: Schema.String }),
  timeMs: Schema.Finite
})

const TradePage = Schema.Array(Trade)

/** An order as it is kept. */
const PaperOrder = Schema.Struct({
  id: Schema.String,
  symbol: Schema.String,
  side: Side,
  quantity: Schema.String,
  filledQuantity: Schema.String,
  /** The price at which a unit is reserved. */
  lockPrice: Schema.String,
  phase: Schema.Literals(PaperOrderMachine.states)
})

/** An order as it is kept. */
export type PaperOrder = typeof PaperOrder.Type

/** The order of an id. */
export const decodePaperOrder = Schema.decodeUnknownEffect(PaperOrder)

/** Trades that stand together in the store. */
export const readPage = Schema.decodeUnknownEffect(TradePage)

const PaperRecord = Schema.Struct({
  /** The matcher, as paper accounts keep it. */
  desk: Schema.Json,
  balances: Schema.Record(Schema.String, Schema.String),
  /** Open orders, the oldest first. */
  open: Schema.Array(PaperOrder),
  tradeCount: Schema.Int,
  /** The newest trades, which fill no page yet. */
  recent: TradePage
})

/** An account as it is kept. */
export type PaperRecord = typeof PaperRecord.Type

/** The account of a key. */
export const readRecord = Schema.decodeUnknownEffect(PaperRecord)

/** Trades on a page. */
export const pageSize = 100

/** The terms of a market as the matcher goes by them. */
export const specOf = (market: PaperMarket): MarketSpec => ({
  tick: Number(market.priceStep),
  lot: Number(market.quantityStep),
  minNotional: 0,
  makerRate: Number(market.makerRate),
  takerRate: Number(market.takerRate),
  slippageRate: Number(market.slippageRate ?? "0"),
  feePerFill: 0,
  canShort: false,
  leverage: 1
})

const exact = (amount: number): BigDecimal.BigDecimal => BigDecimal.fromNumberUnsafe(amount)

/** A quantity of the matcher, which is a whole number of steps but for the error of doubles. */
const quantityOf = (quantity: number, step: Decimal): Decimal => {
  const half = BigDecimal.multiply(decimalOfUnsafe(step), BigDecimal.make(5n, 1))
  return decimalText(
    floorDecimalToStep(BigDecimal.sum(exact(quantity), half), decimalOfUnsafe(step))
  )
}

/** A fill of the matcher as a trade of the account. */
export const tradeOf = (fill: MatchFill, market: PaperMarket, place: number): VenueTrade => ({
  id: `paper-${place + 1}`,
  orderId: fill.orderId,
  symbol: market.symbol,
  side: fill.side === 1 ? "buy" : "sell",
  quantity: quantityOf(fill.quantity, market.quantityStep),
  price: decimalText(exact(fill.price)),
  fee: { amount: decimalText(exact(fill.fee)), currency: market.quote },
  timeMs: fill.time
})

/** The sum of two texts. */
export const plus = (one: Decimal | undefined, other: Decimal): Decimal =>
  decimalText(BigDecimal.sum(decimalOfUnsafe(one ?? "0"), decimalOfUnsafe(other)))

const negative = (amount: Decimal): Decimal =>
  decimalText(BigDecimal.negate(decimalOfUnsafe(amount)))

/** The product of two texts. */
export const times = (one: Decimal, other: Decimal): Decimal =>
  decimalText(BigDecimal.multiply(decimalOfUnsafe(one), decimalOfUnsafe(other)))

/** The rest of a text after another. */
export const minus = (one: Decimal | undefined, other: Decimal): Decimal =>
  plus(one, negative(other))

/** Whether a text is less than another. */
export const isLess = (one: Decimal, other: Decimal): boolean =>
  BigDecimal.isLessThan(decimalOfUnsafe(one), decimalOfUnsafe(other))

/** Balances after a trade. */
export const balancesAfter = (
  balances: PaperRecord["balances"],
  { fee, price, quantity, side }: VenueTrade,
  { base, quote }: VenueMarket
): PaperRecord["balances"] => {
  const cost = plus(times(quantity, price), side === "buy" ? fee.amount : negative(fee.amount))
  const move = side === "buy" ? plus : minus
  const back = side === "buy" ? minus : plus
  return {
    ...balances,
    [base]: move(balances[base], quantity),
    [quote]: back(balances[quote], cost)
  }
}

/** An order as a caller sees it. */
export const stateOf = ({ phase, ...order }: PaperOrder): VenueOrderState => ({
  id: order.id,
  symbol: order.symbol,
  side: order.side,
  status: phase,
  quantity: order.quantity,
  filledQuantity: order.filledQuantity
})
