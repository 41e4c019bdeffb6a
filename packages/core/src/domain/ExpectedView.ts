/**
 * A bot beside the backtest of its own period.
 *
 * @since 0.1.0
 */
import { MarketSymbol, Timestamp } from "@candlewick/engine"
import { Schema } from "effect"
import { causes } from "./expected/Cause.ts"
import { BotId } from "./Identifier.ts"
import { OrderLeg } from "./Order.ts"

/** One fill, or a part of it, that differs from its backtest. @category schemas @since 0.1.0 */
export const ExpectedDifference = Schema.Struct({
  /** Null where nothing in the bot's records explains it. */
  cause: Schema.NullOr(Schema.Literals(causes)),
  /** Whether it comes of an earlier difference, whose cause it has. */
  follows: Schema.Boolean,
  symbol: MarketSymbol,
  side: Schema.Literals(["buy", "sell"]),
  leg: OrderLeg,
  quantity: Schema.Finite,
  /** How much more it earned than was expected, in the quote currency. */
  amount: Schema.Finite,
  /** The candle in which the backtest fills, or null where it does not. */
  expected_at: Schema.NullOr(Timestamp),
  /** The candle in which the bot filled, or null where it did not. */
  realized_at: Schema.NullOr(Timestamp)
})

/** One fill, or a part of it, that differs from its backtest. @category models @since 0.1.0 */
export type ExpectedDifference = typeof ExpectedDifference.Type

/** A bot beside the backtest of its own period. @category schemas @since 0.1.0 */
export const ExpectedView = Schema.Struct({
  id: BotId,
  currency: Schema.String,
  /** The first and the last candle of the period; null before the bot's first. */
  since: Schema.NullOr(Timestamp),
  until: Schema.NullOr(Timestamp),
  /** The result of the backtest's fills, open positions at the last close, without funding. */
  expected_result: Schema.Finite,
  /** The result of the bot's fills, counted in the same way. */
  realized_result: Schema.Finite,
  /** The realized result less the expected one: the sum of all causes and the unexplained rest. */
  difference: Schema.Finite,
  causes: Schema.Record(Schema.Literals(causes), Schema.Finite),
  unexplained: Schema.Finite,
  expected_trade_count: Schema.Int,
  realized_trade_count: Schema.Int,
  difference_count: Schema.Int,
  /** The differences, oldest first, at most 1 000 of them. */
  differences: Schema.Array(ExpectedDifference)
})

/** A bot beside the backtest of its own period. @category models @since 0.1.0 */
export type ExpectedView = typeof ExpectedView.Type
