/**
 * A position that is held: by a bot now, or at the end of a backtest that leaves it open.
 *
 * Its quantity and its entry are sums over its lots. It closes when an exit's last fill leaves no
 * lot.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { MarketSymbol, Timestamp } from "@candlewick/engine"

/**
 * Where a stop is: an order that the venue has confirmed for all that is held, watched by this
 * service, or nowhere.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ProtectionPlace = Schema.Literals(["venue", "local", "none"])

/** Where a stop is. @category models @since 0.1.0 */
export type ProtectionPlace = typeof ProtectionPlace.Type

/** A lot of a position whose entries are kept apart. @category schemas @since 0.1.0 */
export const OpenLot = Schema.Struct({
  /** The client order id of the entry that opened it. */
  client_order_id: Schema.String,
  quantity: Schema.Finite,
  entry_price: Schema.Finite,
  entry_at: Timestamp,
  unrealized_pnl: Schema.Finite,
  stop_price: Schema.NullOr(Schema.Finite),
  target_price: Schema.NullOr(Schema.Finite)
})

/** A position that is open. @category schemas @since 0.1.0 */
export const OpenPosition = Schema.Struct({
  symbol: MarketSymbol,
  direction: Schema.Literals(["long", "short"]),
  quantity: Schema.Finite,
  entry_price: Schema.Finite,
  entry_at: Timestamp,
  price: Schema.Finite,
  value: Schema.Finite,
  unrealized_pnl: Schema.Finite,
  stop_price: Schema.NullOr(Schema.Finite),
  target_price: Schema.NullOr(Schema.Finite),
  /** Where its stop is, for a position that a bot holds: that of the lot that has least. */
  protection: Schema.optionalKey(ProtectionPlace),
  /** True where it is too little for its exchange to sell, so that no order is placed for it. */
  is_dust: Schema.optionalKey(Schema.Boolean),
  /** Its lots, the oldest first, where entries are kept apart. */
  lots: Schema.optionalKey(Schema.Array(OpenLot))
})

/** A position that is open. @category models @since 0.1.0 */
export type OpenPosition = typeof OpenPosition.Type
