/**
 * The views of a bot: its status, its performance, and the outcome of a command.
 *
 * A view is computed when a caller asks, from the bot's record and its books. No store keeps it.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { EquityPoint } from "./Backtest.ts"
import { Bot } from "./Bot.ts"
import { Hindrance } from "./Hindrance.ts"
import { BotId } from "./Identifier.ts"
import { MetricValues, Timestamp } from "@candlewick/engine"
import { OpenPosition, ProtectionPlace } from "./OpenPosition.ts"
import { Order } from "./Order.ts"
import { PassedOver } from "./PassedOver.ts"
import { ReplacedCandles } from "./ReplacedCandles.ts"
import { Adjustment, Mismatch } from "./Reconciliation.ts"

/** The present state of a bot. @category schemas @since 0.1.0 */
export const BotStatusView = Schema.Struct({
  id: BotId,
  status: Bot.fields.status,
  desired_status: Bot.fields.desired_status,
  trading_state: Bot.fields.trading_state,
  trading_state_reason: Bot.fields.trading_state_reason,
  error: Bot.fields.error,
  /** The differences between the bot and the exchange, until they are gone or accepted. */
  mismatch: Schema.NullOr(Mismatch),
  uptime_seconds: Schema.Finite,
  /** Wall time of the last processed candle. */
  last_tick_at: Schema.NullOr(Timestamp),
  /** Open time of the last processed candle, on the market's clock. */
  last_candle_at: Schema.NullOr(Timestamp),
  data_lag_seconds: Schema.NullOr(Schema.Finite),
  /** Whether the recording that is replayed has ended. */
  is_data_ended: Schema.Boolean,
  /** The hindrance that keeps the bot from acting now; none for a stopped bot. */
  hindrances: Schema.Array(Hindrance),
  /** The entries that the newest pause or hindrance has cost; null where none was passed over. */
  passed_over: Schema.NullOr(PassedOver),
  /** Candles that were replaced under the bot since it last started; absent where none was. */
  replaced_candles: Schema.optionalKey(Schema.Array(ReplacedCandles)),
  equity: Schema.Finite,
  cash: Schema.Finite,
  /** By coin, fees that the cash lacks until a price of the coin is known; absent without any. */
  unpriced_fees: Schema.optionalKey(Schema.Record(Schema.String, Schema.Finite)),
  daily_pnl: Schema.Finite,
  drawdown: Schema.Finite,
  /** Where the stops of open positions are: that of the one that has least. Null where none is. */
  protection: Schema.NullOr(ProtectionPlace),
  open_positions: Schema.Array(OpenPosition),
  open_orders: Schema.Array(Order)
})

/** The present state of a bot. @category models @since 0.1.0 */
export type BotStatusView = typeof BotStatusView.Type

/** The results of a bot. @category schemas @since 0.1.0 */
export const BotPerformance = Schema.Struct({
  id: BotId,
  currency: Schema.String,
  capital_allocation: Schema.Finite,
  equity: Schema.Finite,
  realized_pnl: Schema.Finite,
  unrealized_pnl: Schema.Finite,
  /** Sum of all adjustments; equity is capital, results and this. */
  adjusted: Schema.Finite,
  /** The changes accepted from the exchange without a fill that explains them, newest last. */
  adjustments: Schema.Array(Adjustment),
  fees_paid: Schema.Finite,
  total_return: Schema.Finite,
  trade_count: Schema.Int,
  trading_volume: Schema.Finite,
  positions_closed: Schema.Int,
  wins: Schema.Int,
  losses: Schema.Int,
  metrics: MetricValues,
  metric_reasons: Schema.Record(Schema.String, Schema.String),
  first_trade_at: Schema.NullOr(Timestamp),
  last_trade_at: Schema.NullOr(Timestamp),
  since: Schema.NullOr(Timestamp),
  until: Schema.NullOr(Timestamp),
  benchmark: Schema.Struct({ buy_and_hold_return: Schema.NullOr(Schema.Finite) }),
  equity_curve: Schema.Array(EquityPoint)
})

/** The results of a bot. @category models @since 0.1.0 */
export type BotPerformance = typeof BotPerformance.Type

/** The treatment of open positions by a stop. @category schemas @since 0.1.0 */
export const StopRequest = Schema.Struct({
  positions: Schema.optionalKey(Schema.Literals(["keep", "close"]))
})

/** The treatment of open positions by a stop. @category models @since 0.1.0 */
export type StopRequest = typeof StopRequest.Type

/** The bot after a command, and the effect of the command. @category schemas @since 0.1.0 */
export const CommandOutcome = Schema.Struct({
  ...Bot.fields,
  /** False where the command was fulfilled already or under way. */
  changed: Schema.Boolean,
  /** Resting orders that the command cancels, exits included where a stop keeps positions. */
  orders_cancelled: Schema.Int,
  /** Positions that stay open after the command, as far as nothing else closes them. */
  positions_kept: Schema.Array(OpenPosition),
  /** Positions that are being closed, by this command or by an earlier command or decision. */
  positions_closing: Schema.Array(OpenPosition),
  /** Whether a kept position has no protective exit that outlives the command. */
  unprotected: Schema.Boolean
})

/** The bot after a command, and the effect of the command. @category models @since 0.1.0 */
export type CommandOutcome = typeof CommandOutcome.Type
