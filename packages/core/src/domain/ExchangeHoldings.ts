/**
 * An exchange account as its owner sees it: the assets of the owner's bots, and the rest.
 *
 * Amounts are decimal text, as the exchange counts them.
 *
 * @since 0.1.0
 */
import { Timestamp } from "@candlewick/engine"
import { Schema } from "effect"
import { Side } from "./Order.ts"

/** A coin, or the position of a market. @category schemas @since 0.1.0 */
export const ExchangeHolding = Schema.Struct({
  /** The name of the coin, or the symbol of the market. */
  name: Schema.String,
  kind: Schema.Literals(["coin", "position"]),
  /** The amount at the exchange. */
  amount: Schema.String,
  /** The sum of all bots' parts. */
  bots: Schema.String,
  /** The part that no bot owns, `amount` less `bots`; bots leave it alone. */
  outside: Schema.String,
  /** The part of each bot, by its id. */
  owners: Schema.Record(Schema.String, Schema.String)
})

/** A coin, or the position of a market. @category models @since 0.1.0 */
export type ExchangeHolding = typeof ExchangeHolding.Type

/** A trade that no bot owns, for example one placed by hand. @category schemas @since 0.1.0 */
export const OutsideTrade = Schema.Struct({
  /** The id that the exchange gives it. */
  id: Schema.String,
  symbol: Schema.String,
  side: Side,
  quantity: Schema.String,
  price: Schema.String,
  fee_amount: Schema.String,
  fee_currency: Schema.String,
  executed_at: Timestamp
})

/** A trade that no bot owns, for example one placed by hand. @category models @since 0.1.0 */
export type OutsideTrade = typeof OutsideTrade.Type

/** An exchange account, line by line. @category schemas @since 0.1.0 */
export const ExchangeHoldings = Schema.Struct({
  exchange: Schema.String,
  holdings: Schema.Array(ExchangeHolding),
  /** The newest trades that no bot owns, the newest first. */
  outside_trades: Schema.Array(OutsideTrade)
})

/** An exchange account, line by line. @category models @since 0.1.0 */
export type ExchangeHoldings = typeof ExchangeHoldings.Type
