/**
 * An account's bots together: their worth, positions and earnings, and the warnings.
 *
 * Paper and live stay apart, and so do currencies: their sums would mean nothing. Of deleted bots
 * the results count as long as these bots are kept, and nothing else does.
 *
 * @since 0.1.0
 */
import { MarketSymbol, Timestamp } from "@candlewick/engine"
import { Schema } from "effect"
import { Account } from "./Account.ts"
import { Alert } from "./Alert.ts"
import { Bot, BotMode } from "./Bot.ts"
import { Hindrance } from "./Hindrance.ts"

const group = { mode: BotMode, currency: Schema.String }

/**
 * The worth and the earnings of the bots of a mode and a currency.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PortfolioPerformance = Schema.Struct({
  ...group,
  /** The bots that are there; worth and capital are theirs. */
  bot_count: Schema.Int,
  /** Deleted bots that are kept; their results, fees, fills and closed positions count too. */
  deleted_bot_count: Schema.Int,
  capital_allocation: Schema.Finite,
  equity: Schema.Finite,
  cash: Schema.Finite,
  realized_pnl: Schema.Finite,
  /** The part of the realised results that is of deleted bots. */
  deleted_realized_pnl: Schema.Finite,
  /** Equity beyond capital, adjustments and the realised results of the bots that are there. */
  unrealized_pnl: Schema.Finite,
  adjusted: Schema.Finite,
  fees_paid: Schema.Finite,
  total_return: Schema.Finite,
  trade_count: Schema.Int,
  trading_volume: Schema.Finite,
  positions_closed: Schema.Int,
  wins: Schema.Int,
  losses: Schema.Int,
  /** Open time of the newest candle of any of them, on the market's clock. */
  last_candle_at: Schema.NullOr(Timestamp)
})

/** The worth of the bots of a mode and a currency. @category models @since 0.1.0 */
export type PortfolioPerformance = typeof PortfolioPerformance.Type

/** The holding of a mode in a market, at its last close. @category schemas @since 0.1.0 */
export const SymbolExposure = Schema.Struct({
  ...group,
  symbol: MarketSymbol,
  bot_count: Schema.Int,
  long_value: Schema.Finite,
  short_value: Schema.Finite,
  /** Long less short. */
  net_value: Schema.Finite,
  /** Long and short together. */
  gross_value: Schema.Finite,
  /** Gross value as a share of the equity of its mode and currency. */
  share_of_equity: Schema.NullOr(Schema.Finite)
})

/** The holding of the bots of a mode in a market. @category models @since 0.1.0 */
export type SymbolExposure = typeof SymbolExposure.Type

/** Equity at the end of a UTC day, on the market's clock. @category schemas @since 0.1.0 */
export const PortfolioDay = Schema.Struct({
  ...group,
  day: Schema.String.check(Schema.isPattern(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/u)),
  equity: Schema.Finite,
  /** Equity less that of the day before; a bot that had not begun counts with its capital. */
  pnl: Schema.Finite
})

/** Equity at the end of a UTC day. @category models @since 0.1.0 */
export type PortfolioDay = typeof PortfolioDay.Type

/** An alert that has fired. @category schemas @since 0.1.0 */
export const FiredAlert = Schema.Struct({
  id: Alert.fields.id,
  bot_id: Alert.fields.bot_id,
  metric: Alert.fields.metric,
  op: Alert.fields.op,
  threshold: Alert.fields.threshold,
  symbol: Alert.fields.symbol,
  last_value: Alert.fields.last_value,
  fired_count: Alert.fields.fired_count,
  last_fired_at: Timestamp
})

/** An alert that has fired. @category models @since 0.1.0 */
export type FiredAlert = typeof FiredAlert.Type

/** A bot that is in error, or that something halts or hinders. @category schemas @since 0.1.0 */
export const HeldBackBot = Schema.Struct({
  id: Bot.fields.id,
  name: Bot.fields.name,
  mode: Bot.fields.mode,
  status: Bot.fields.status,
  trading_state: Bot.fields.trading_state,
  trading_state_reason: Bot.fields.trading_state_reason,
  error: Bot.fields.error,
  hindrances: Schema.Array(Hindrance)
})

/** A bot that is in error, or that something halts or hinders. @category models @since 0.1.0 */
export type HeldBackBot = typeof HeldBackBot.Type

const counts = Schema.Record(Schema.String, Schema.Int)

/** An account at one look. @category schemas @since 0.1.0 */
export const Overview = Schema.Struct({
  is_halted: Account.fields.is_halted,
  halted_reason: Account.fields.halted_reason,
  /** How many bots there are of each status. */
  bots: Schema.Struct({ paper: counts, live: counts }),
  performance: Schema.Array(PortfolioPerformance),
  /** The newest days, the newest first. */
  days: Schema.Array(PortfolioDay),
  exposure: Schema.Array(SymbolExposure),
  /** The alerts that fired last, the newest firing first. */
  alerts_fired: Schema.Array(FiredAlert),
  /** The newest bots that something holds back; those that only wait for candles come last. */
  held_back: Schema.Array(HeldBackBot),
  /** How many these are in all. */
  held_back_count: Schema.Int
})

/** An account at one look. @category models @since 0.1.0 */
export type Overview = typeof Overview.Type
