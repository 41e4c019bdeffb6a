/**
 * The request, record and report of a backtest: one strategy with one parameter set on past
 * candles.
 *
 * `BacktestTrade` is one fill. `ClosedPosition` is a round trip.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { AccountId, BacktestId, StrategyId } from "./Identifier.ts"
import {
  Capital,
  MarketSymbol,
  MarketSymbols,
  MetricValues,
  ParameterValues,
  RiskProfile,
  Timeframe,
  TimeframeOrAlias,
  Timestamp
} from "@candlewick/engine"
import { MarketPin, NamedRevisions, Owner } from "./Market.ts"
import { OpenPosition } from "./OpenPosition.ts"
import { runPinFields, VersionNumber } from "./Pins.ts"
import { costFields, Fees, runFields } from "./Run.ts"

/** The cause that closed a position. @category tables @since 0.1.0 */
export const exitReasons = [
  "signal",
  "stop_loss",
  "take_profit",
  "trailing_stop",
  "break_even",
  "time_limit",
  "liquidation",
  "force_exit",
  "end_of_data",
  "kill_switch"
] as const

/**
 * An entry-to-exit pair, with the costs of both sides taken off `pnl`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ClosedPosition = Schema.Struct({
  symbol: MarketSymbol,
  direction: Schema.Literals(["long", "short"]),
  quantity: Schema.Finite,
  entry_at: Timestamp,
  entry_price: Schema.Finite,
  exit_at: Timestamp,
  exit_price: Schema.Finite,
  pnl: Schema.Finite,
  return: Schema.Finite,
  fees: Schema.Finite,
  exit_reason: Schema.Literals(exitReasons),
  /** Whether the path inside a candle, which is unknown, decides the exit. */
  is_ambiguous: Schema.Boolean
})

/** An entry-to-exit pair. @category models @since 0.1.0 */
export type ClosedPosition = typeof ClosedPosition.Type

/** One fill of a backtest. @category schemas @since 0.1.0 */
export const BacktestTrade = Schema.Struct({
  symbol: MarketSymbol,
  side: Schema.Literals(["buy", "sell"]),
  amount: Schema.Finite,
  price: Schema.Finite,
  fee: Schema.Finite,
  executed_at: Timestamp,
  candle_index: Schema.Int,
  leg: Schema.String
})

/** One fill of a backtest. @category models @since 0.1.0 */
export type BacktestTrade = typeof BacktestTrade.Type

/** Equity at a candle's close. @category schemas @since 0.1.0 */
export const EquityPoint = Schema.Struct({ time: Timestamp, equity: Schema.Finite })

/** Equity at a candle's close. @category models @since 0.1.0 */
export type EquityPoint = typeof EquityPoint.Type

/** The facts of the candles that a run used. @category schemas @since 0.1.0 */
export const DataQuality = Schema.Struct({
  symbol: MarketSymbol,
  timeframe: Timeframe,
  candle_count: Schema.Int,
  first_at: Timestamp,
  last_at: Timestamp,
  gap_count: Schema.Int,
  hash: Schema.String,
  /** The owner of the series that they come from; absent in reports of earlier versions. */
  owner: Schema.optionalKey(Owner),
  /** The revision of that series: an import that replaces makes the next. */
  revision: Schema.optionalKey(Schema.Int),
  synthetic: Schema.Boolean,
  resampled_from: Schema.NullOr(Timeframe)
})

/** The facts of the candles that a run used. @category models @since 0.1.0 */
export type DataQuality = typeof DataQuality.Type

/**
 * The steps of a market's orders: the steps of its record, else 1e-8.
 *
 * @category schemas
 * @since 0.1.0
 */
export const MarketSteps = Schema.Struct({
  symbol: MarketSymbol,
  tick: Schema.Finite,
  lot: Schema.Finite
})

/** On which steps orders of a market were. @category models @since 0.1.0 */
export type MarketSteps = typeof MarketSteps.Type

/**
 * A backtest with every default filled in. An optional field is absent in reports of earlier
 * versions, which did not record it.
 *
 * @category schemas
 * @since 0.1.0
 */
export const BacktestConfig = Schema.Struct({
  symbols: Schema.Array(MarketSymbol),
  timeframe: Timeframe,
  from: Timestamp,
  to: Timestamp,
  initial_capital: Schema.Finite,
  fees: Schema.NullOr(Fees),
  slippage: Schema.NullOr(Schema.Finite),
  funding_rate: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  detail_timeframe: Schema.optionalKey(Schema.NullOr(Timeframe)),
  fill: Schema.Literals(["next_open", "close"]),
  end_of_data: Schema.Literals(["close", "open"]),
  risk: Schema.NullOr(RiskProfile),
  parameters: ParameterValues
})

/** A backtest with every default filled in. @category models @since 0.1.0 */
export type BacktestConfig = typeof BacktestConfig.Type

/**
 * The results of a backtest. An optional field is absent in reports of earlier versions, which did
 * not record it; every new report has all of them.
 *
 * @category schemas
 * @since 0.1.0
 */
export const BacktestReport = Schema.Struct({
  config: BacktestConfig,
  data_quality: Schema.Array(DataQuality),
  steps: Schema.optionalKey(Schema.Array(MarketSteps)),
  /** Which revisions of its markets it ran by. */
  markets: Schema.optionalKey(Schema.Array(MarketPin)),
  engine_version: Schema.String,
  currency: Schema.String,
  metrics: MetricValues,
  /** Why a metric is null, by its name. */
  metric_reasons: Schema.Record(Schema.String, Schema.String),
  benchmark: Schema.Struct({ buy_and_hold: MetricValues }),
  annualization_days: Schema.Finite,
  /** The fills, oldest first, at most 10 000 of them. */
  trades: Schema.Array(BacktestTrade),
  trade_count: Schema.Int,
  /** The closed positions, oldest first, at most 10 000 of them. */
  positions: Schema.Array(ClosedPosition),
  position_count: Schema.Int,
  /** Positions that `end_of_data: open` leaves open, at their markets' last closes. */
  open_positions: Schema.optionalKey(Schema.Array(OpenPosition)),
  /**
   * Equity at candle closes, thinned to at most 1 000 points; the first and the last are always
   * there.
   */
  equity_curve: Schema.Array(EquityPoint),
  ambiguous_candle_count: Schema.Int,
  /** Funding that positions paid, less the funding that they got. */
  funding_paid: Schema.optionalKey(Schema.Finite),
  /** Total return if every ambiguous candle had gone the best way. */
  best_path_return: Schema.NullOr(Schema.Finite),
  /** Total return if every ambiguous candle had gone the worst way. */
  worst_path_return: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  overlaps_training: Schema.Boolean,
  warnings: Schema.Array(Schema.String)
})

/** The results of a backtest. @category models @since 0.1.0 */
export type BacktestReport = typeof BacktestReport.Type

/** The results of a new backtest: no field is absent. @category models @since 0.1.0 */
export type WholeBacktestReport = Required<BacktestReport> & {
  readonly config: Required<BacktestConfig>
}

/** The request for a backtest. @category schemas @since 0.1.0 */
export const BacktestRequest = Schema.Struct({
  strategy_id: Schema.String,
  /** A version of the strategy; the newest one without it. */
  strategy_version: Schema.optionalKey(VersionNumber),
  symbols: Schema.optionalKey(MarketSymbols),
  timeframe: Schema.optionalKey(TimeframeOrAlias),
  /** Shorter candles, which show whether stop or target came first inside a candle. */
  detail_timeframe: Schema.optionalKey(TimeframeOrAlias),
  from: Schema.optionalKey(Timestamp),
  to: Schema.optionalKey(Timestamp),
  initial_capital: Schema.optionalKey(Capital),
  fill: Schema.optionalKey(Schema.Literals(["next_open", "close"])),
  end_of_data: Schema.optionalKey(Schema.Literals(["close", "open"])),
  risk: Schema.optionalKey(Schema.NullOr(RiskProfile)),
  parameters: Schema.optionalKey(ParameterValues),
  /** Revisions of markets; the newest ones of those that are not named. */
  market_revisions: Schema.optionalKey(NamedRevisions),
  ...costFields
})

/** The request for a backtest. @category models @since 0.1.0 */
export type BacktestRequest = typeof BacktestRequest.Type

/**
 * A backtest as it is kept; `report` is there once something came out.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Backtest = Schema.Struct({
  id: BacktestId,
  account_id: AccountId,
  strategy_id: StrategyId,
  request: BacktestRequest,
  ...runPinFields,
  ...runFields,
  report: Schema.NullOr(BacktestReport),
  version: Schema.Int
})

/** A backtest as it is kept. @category models @since 0.1.0 */
export type Backtest = typeof Backtest.Type
