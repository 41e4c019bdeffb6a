/**
 * A strategy at work on a market.
 *
 * `status` is the bot's activity, and `desired_status` the last command, which a restart resumes.
 * `trading_state` is the risk gate, which has any state beside any status.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import {
  Capital,
  MarketSymbol,
  MarketSymbols,
  ParameterValues,
  RiskProfile,
  Timeframe,
  Timestamp
} from "@candlewick/engine"
import { BotAlertRequest } from "./Alert.ts"
import { published } from "./published.ts"
import { BotMachine } from "./BotMachine.ts"
import { AccountId, BotId, StrategyId } from "./Identifier.ts"
import { MarketPin } from "./Market.ts"
import { botPinFields } from "./Pins.ts"
import { DisplayName } from "./Strategy.ts"

/** Whether fills are simulated or real. @category schemas @since 0.1.0 */
export const BotMode = Schema.Literals(["paper", "live"])

/** The orders that the order path lets through. @category schemas @since 0.1.0 */
export const TradingState = Schema.Literals(["active", "reducing", "halted"])

/** Why the order path lets less through. @category schemas @since 0.1.0 */
export const TradingStateReason = Schema.Literals([
  "none",
  "max_drawdown",
  "daily_loss",
  "stale_data",
  "manual",
  "kill_switch",
  "reconcile_mismatch"
])

/** The kill switch is of the whole account, and no bot's. */
const ofNoAccount = published({ properties: { metric: { not: { enum: ["kill_switch"] } } } })

/** The request of a caller; the first three fields are enough. @category schemas @since 0.1.0 */
export const BotRequest = Schema.Struct({
  name: DisplayName,
  strategy_id: Schema.String,
  capital_allocation: Capital,
  /** Values of the strategy's parameters; those that are left out have their defaults. */
  parameters: Schema.optionalKey(ParameterValues),
  mode: Schema.optionalKey(BotMode),
  exchange: Schema.optionalKey(Schema.String),
  symbols: Schema.optionalKey(MarketSymbols),
  risk: Schema.optionalKey(RiskProfile),
  alerts: Schema.optionalKey(
    Schema.Array(BotAlertRequest.check(ofNoAccount)).check(Schema.isMaxLength(20))
  ),
  auto_start: Schema.optionalKey(Schema.Boolean)
})

/** The request of a caller. @category models @since 0.1.0 */
export type BotRequest = typeof BotRequest.Type

/** Changes to a bot; which may change when is in `Bots.update`. @category schemas @since 0.1.0 */
export const BotChanges = Schema.Struct({
  name: Schema.optionalKey(DisplayName),
  strategy_id: Schema.optionalKey(Schema.String),
  capital_allocation: Schema.optionalKey(Capital),
  /** Replaces those that were given before. */
  parameters: BotRequest.fields.parameters,
  symbols: BotRequest.fields.symbols,
  risk: Schema.optionalKey(RiskProfile),
  alerts: BotRequest.fields.alerts
})

/** Changes to a bot. @category models @since 0.1.0 */
export type BotChanges = typeof BotChanges.Type

/** Why a bot is in error. @category schemas @since 0.1.0 */
export const BotError = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  at: Timestamp,
  retryable: Schema.Boolean
})

/** A bot as it is kept. @category schemas @since 0.1.0 */
export const Bot = Schema.Struct({
  id: BotId,
  account_id: AccountId,
  name: DisplayName,
  strategy_id: StrategyId,
  ...botPinFields,
  /** Values that were given for the strategy's parameters; absent where none were. */
  parameters: Schema.optionalKey(ParameterValues),
  capital_allocation: Capital,
  mode: BotMode,
  exchange: Schema.NullOr(Schema.String),
  symbols: Schema.Array(MarketSymbol),
  timeframe: Timeframe,
  risk: Schema.NullOr(RiskProfile),
  /** Which revisions of its markets it trades by; absent in bots of earlier versions. */
  markets: Schema.optionalKey(Schema.Array(MarketPin)),
  /** Warnings of its markets' limits; absent in bots of earlier versions. */
  warnings: Schema.optionalKey(Schema.Array(Schema.String)),
  status: Schema.Literals(BotMachine.states),
  desired_status: Schema.Literals(["running", "paused", "stopped"]),
  /** The treatment of open positions by the last stop. */
  stop_positions: Schema.Literals(["keep", "close"]),
  trading_state: TradingState,
  trading_state_reason: TradingStateReason,
  error: Schema.NullOr(BotError),
  version: Schema.Int,
  created_at: Timestamp,
  updated_at: Timestamp,
  started_at: Schema.NullOr(Timestamp),
  stopped_at: Schema.NullOr(Timestamp)
})

/** A bot as it is kept. @category models @since 0.1.0 */
export type Bot = typeof Bot.Type

/**
 * Which bot, where it trades and how it stands, without the rest; the exchange is null on paper.
 *
 * @category models
 * @since 0.1.0
 */
export type BotRef = Pick<Bot, "id" | "account_id" | "mode" | "exchange" | "status" | "version">

/**
 * The state from which the runner of a bot goes on, as plain JSON.
 *
 * @category schemas
 * @since 0.1.0
 */
export const BotState = Schema.Struct({
  bot_id: BotId,
  /** Open time of the newest candle that was processed, or null before the first. */
  cursor: Schema.NullOr(Schema.Int),
  /** Snapshot of the bot's ledger, risk gate and decisions; shape belongs to the runner. */
  snapshot: Schema.Json,
  version: Schema.Int
})

/** The state from which the runner of a bot goes on. @category models @since 0.1.0 */
export type BotState = typeof BotState.Type
