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

/** A deleted bot as the archive keeps it. @category schemas @since 0.1.0 */
export const ArchivedBot = Schema.Struct({
  ...Bot.fields,
  /** When it was deleted. */
  archived_at: Timestamp,
  /** Positions that it held then; none unless the deletion was told to keep them. */
  kept_positions: Schema.Array(KeptPosition),
  /** Orders of a live bot that its exchange was asked to cancel; absent where it had none open. */
  orders_taken_back: Schema.optionalKey(Schema.Int)
})

/** A deleted bot as the archive keeps it. @category models @since 0.1.0 */
export type ArchivedBot = typeof ArchivedBot.Type
