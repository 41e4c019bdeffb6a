/**
 * Entries that a bot has passed over because it was paused or hindered.
 *
 * They are the cost of a pause in entries, and no orders: the bot neither decides them later nor
 * counts them as trades.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { MarketSymbol, Timestamp } from "@candlewick/engine"

/** The first entry that was passed over in a market. @category schemas @since 0.1.0 */
export const PassedEntry = Schema.Struct({
  symbol: MarketSymbol,
  side: Schema.Literals(["buy", "sell"]),
  /** The close at which it would have been decided. */
  price: Schema.Finite,
  /** Open time of that candle. */
  candle_at: Timestamp,
  /** The last close until the bot could enter again, or the last one so far. */
  last_price: Schema.Finite,
  /** How far the market has moved since, as a fraction of the price. */
  change: Schema.Finite
})

/** The first entry that was passed over in a market. @category models @since 0.1.0 */
export type PassedEntry = typeof PassedEntry.Type

/** The cost of a pause or a hindrance in entries. @category schemas @since 0.1.0 */
export const PassedOver = Schema.Struct({
  /** An entry that rules go on asking for, candle after candle, counts once. */
  entries: Schema.Int,
  /** Wall time of the first. */
  since: Timestamp,
  /** Wall time from which the bot could enter again, or null. */
  until: Schema.NullOr(Timestamp),
  markets: Schema.Array(PassedEntry)
})

/** The cost of a pause or a hindrance in entries. @category models @since 0.1.0 */
export type PassedOver = typeof PassedOver.Type
