/**
 * Orders and the fills that execute them, as they are kept and shown.
 *
 * On the wire a trade is one fill; entry-to-exit pairs are positions.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { AccountId, BotId, OrderId, TradeId } from "./Identifier.ts"
import { MarketSymbol, Timestamp } from "@candlewick/engine"
import { orderStatuses } from "./OrderMachine.ts"

/** Which way an order goes. @category schemas @since 0.1.0 */
export const Side = Schema.Literals(["buy", "sell"])

/** Which way an order goes. @category models @since 0.1.0 */
export type Side = typeof Side.Type

/** How an order is priced. @category schemas @since 0.1.0 */
export const OrderType = Schema.Literals(["market", "limit", "stop", "stop_limit", "trailing_stop"])

/** The purpose of an order. @category schemas @since 0.1.0 */
export const OrderLeg = Schema.Literals([
  "entry",
  "exit",
  "stop_loss",
  "take_profit",
  "trailing_stop"
])

/** An order as it is kept. @category schemas @since 0.1.0 */
export const Order = Schema.Struct({
  id: OrderId,
  account_id: AccountId,
  bot_id: BotId,
  /** Derived from the bot, the decision and the leg, so that sending twice is harmless. */
  client_order_id: Schema.String,
  symbol: MarketSymbol,
  side: Side,
  type: OrderType,
  leg: OrderLeg,
  quantity: Schema.Finite,
  filled_quantity: Schema.Finite,
  limit_price: Schema.NullOr(Schema.Finite),
  stop_price: Schema.NullOr(Schema.Finite),
  is_reduce_only: Schema.Boolean,
  status: Schema.Literals(orderStatuses),
  reason: Schema.NullOr(Schema.String),
  version: Schema.Int,
  /** Wall time. */
  created_at: Timestamp,
  updated_at: Timestamp,
  /** The candle at whose close it was decided, on the market's clock. */
  candle_time: Timestamp
})

/** An order as it is kept. @category models @since 0.1.0 */
export type Order = typeof Order.Type

/** An order in the list of its bot. @category schemas @since 0.1.0 */
export const ListedOrder = Schema.Struct({
  ...Order.fields,
  /**
   * The id under which its exchange got it, the newest where it was sent again. On the exchange's
   * own page it is the client order id. Absent on paper, and before it is sent.
   */
  exchange_order_id: Schema.optionalKey(Schema.String)
})

/** An order in the list of its bot. @category models @since 0.1.0 */
export type ListedOrder = typeof ListedOrder.Type

/** The effect of a fill on the position. @category schemas @since 0.1.0 */
export const PositionEffect = Schema.Literals(["open", "increase", "reduce", "close"])

/** One fill of a bot. @category schemas @since 0.1.0 */
export const Trade = Schema.Struct({
  id: TradeId,
  account_id: AccountId,
  bot_id: BotId,
  order_id: OrderId,
  client_order_id: Schema.String,
  symbol: MarketSymbol,
  side: Side,
  amount: Schema.Finite,
  price: Schema.Finite,
  fee: Schema.Finite,
  fee_currency: Schema.String,
  leg: OrderLeg,
  position_effect: PositionEffect,
  realized_pnl: Schema.NullOr(Schema.Finite),
  /** On the market's clock. */
  executed_at: Timestamp,
  candle_time: Timestamp,
  /** Wall time. */
  created_at: Timestamp
})

/** One fill of a bot. @category models @since 0.1.0 */
export type Trade = typeof Trade.Type
