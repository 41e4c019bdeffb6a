/**
 * A deleted bot as the archive keeps it.
 *
 * Its record stays as it was, beside the positions that its deletion left to the exchange.
 *
 * @since 0.1.0
 */
import { MarketSymbol, Timestamp } from "@candlewick/engine"
import { Schema } from "effect"
import { Bot } from "./Bot.ts"

/** A position that a deletion left as it was. @category schemas @since 0.1.0 */
export const KeptPosition = Schema.Struct({
  symbol: MarketSymbol,
  direction: Schema.Literals(["long", "short"]),
  quantity: Schema.Finite,
  entry_price: Schema.Finite,
  entry_at: Timestamp
})

/** A position that a deletion left as it was. @category models @since 0.1.0 */
export type KeptPosition = typeof KeptPosition.Type

/** The results that a bot had when it was deleted. @category schemas @since 0.1.0 */
export const ArchivedResults = Schema.Struct({
  realized_pnl: Schema.Finite,
  fees_paid: Schema.Finite,
  trade_count: Schema.Int,
  trading_volume: Schema.Finite,
  positions_closed: Schema.Int,
  wins: Schema.Int
})

/** The results that a bot had when it was deleted. @category models @since 0.1.0 */
export type ArchivedResults = typeof ArchivedResults.Type

/** A deleted bot as the archive keeps it. @category schemas @since 0.1.0 */
export const ArchivedBot = Schema.Struct({
  ...Bot.fields,
  /** When it was deleted. */
  archived_at: Timestamp,
  /** Positions that it held then; none unless the deletion was asked to keep them. */
  kept_positions: Schema.Array(KeptPosition),
  /** Its results, which go on counting for the account; absent in archives of earlier versions. */
  results: Schema.optionalKey(ArchivedResults),
  /** Orders of a live bot that its exchange was asked to cancel; absent where it had none open. */
  orders_taken_back: Schema.optionalKey(Schema.Int)
})

/** A deleted bot as the archive keeps it. @category models @since 0.1.0 */
export type ArchivedBot = typeof ArchivedBot.Type
