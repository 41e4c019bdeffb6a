/**
 * A search for better parameters of one strategy, in and out of sample.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { DataQuality } from "./Backtest.ts"
import { AccountId, OptimizationId, StrategyId } from "./Identifier.ts"
import {
  Capital,
  MarketSymbol,
  MarketSymbols,
  Objective,
  objectives,
  ParameterRange,
  ParameterValues,
  RiskProfile,
  Timeframe,
  TimeframeOrAlias,
  Timestamp
} from "@candlewick/engine"
import { MarketPin } from "./Market.ts"
import { runPinFields, VersionNumber } from "./Pins.ts"
import { PlainRuns } from "./PlainRuns.ts"
import { costFields, runFields, Seed } from "./Run.ts"
import { Measured } from "./Verdict.ts"

/** How parameter sets are proposed. @category schemas @since 0.1.0 */
export const SearchMethod = Schema.Literals(["grid", "random"])

/** How parameter sets are proposed. @category models @since 0.1.0 */
export type SearchMethod = typeof SearchMethod.Type

/** What a caller asks of an optimization. @category schemas @since 0.1.0 */
export const OptimizeRequest = Schema.Struct({
  strategy_id: Schema.String,
  /** A version of the strategy; the newest one without it. */
  strategy_version: Schema.optionalKey(VersionNumber),
  objective: Schema.optionalKey(Objective),
  method: Schema.optionalKey(SearchMethod),
  max_trials: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))
  ),
  parameters: Schema.optionalKey(Schema.Array(ParameterRange)),
  symbols: Schema.optionalKey(MarketSymbols),
  timeframe: Schema.optionalKey(TimeframeOrAlias),
  from: Schema.optionalKey(Timestamp),
  to: Schema.optionalKey(Timestamp),
  /** Share of the candles, from the start, that chooses the parameters. */
  in_sample_rate: Schema.optionalKey(
    Schema.Finite.check(Schema.isBetween({ minimum: 0.1, maximum: 0.9 }))
  ),
  initial_capital: Schema.optionalKey(Capital),
  /** A trial with fewer closed positions in sample is not eligible. */
  min_positions: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
  risk: Schema.optionalKey(Schema.NullOr(RiskProfile)),
  seed: Schema.optionalKey(Seed),
  ...costFields
})

/** What a caller asks of an optimization. @category models @since 0.1.0 */
export type OptimizeRequest = typeof OptimizeRequest.Type

/** One parameter set and what it did in sample. @category schemas @since 0.1.0 */
export const Trial = Schema.Struct({
  index: Schema.Int,
  parameters: ParameterValues,
  objective: Schema.NullOr(Schema.Finite),
  position_count: Schema.Int,
  is_eligible: Schema.Boolean
})

/** One parameter set and what it did in sample. @category models @since 0.1.0 */
export type Trial = typeof Trial.Type

/** An optimization with every default filled in. @category schemas @since 0.1.0 */
export const OptimizationConfig = Schema.Struct({
  symbols: Schema.Array(MarketSymbol),
  timeframe: Timeframe,
  from: Timestamp,
  to: Timestamp,
  split_at: Timestamp,
  objective: Schema.Literals(objectives),
  method: SearchMethod,
  max_trials: Schema.Int,
  in_sample_rate: Schema.Finite,
  min_positions: Schema.Int,
  initial_capital: Schema.Finite,
  risk: Schema.NullOr(RiskProfile),
  seed: Seed,
  space: Schema.Array(ParameterRange),
  /** How many points the whole space has, or null where it is continuous. */
  space_size: Schema.NullOr(Schema.Finite)
})

/** A parameter set with its results in and out of sample. @category schemas @since 0.1.0 */
export const Candidate = Schema.Struct({
  parameters: ParameterValues,
  in_sample: Measured,
  out_of_sample: Measured
})

/** A parameter set with its results in and out of sample. @category models @since 0.1.0 */
export type Candidate = typeof Candidate.Type

/** What came out of an optimization. @category schemas @since 0.1.0 */
export const OptimizationReport = Schema.Struct({
  config: OptimizationConfig,
  data_quality: Schema.Array(DataQuality),
  /** Which revisions of its markets it ran by; absent in reports of earlier versions. */
  markets: Schema.optionalKey(Schema.Array(MarketPin)),
  engine_version: Schema.String,
  /** The best eligible trial, or null where none was. */
  best: Schema.NullOr(Candidate),
  /** What the strategy's own parameters did. */
  original: Schema.NullOr(Candidate),
  /** The best trials in sample, best first, at most 100. */
  trials: Schema.Array(Trial),
  trial_count: Schema.Int,
  eligible_count: Schema.Int,
  /** Trials that went candle by candle, and why; absent in reports of earlier versions. */
  plain_runs: Schema.optionalKey(PlainRuns),
  warnings: Schema.Array(Schema.String)
})

/** What came out of an optimization. @category models @since 0.1.0 */
export type OptimizationReport = typeof OptimizationReport.Type

/** An optimization as it is kept. @category schemas @since 0.1.0 */
export const Optimization = Schema.Struct({
  id: OptimizationId,
  account_id: AccountId,
  strategy_id: StrategyId,
  request: OptimizeRequest,
  ...runPinFields,
  ...runFields,
  completed_trials: Schema.Int,
  total_trials: Schema.NullOr(Schema.Int),
  best_so_far: Schema.NullOr(Trial),
  report: Schema.NullOr(OptimizationReport),
  version: Schema.Int
})

/** An optimization as it is kept. @category models @since 0.1.0 */
export type Optimization = typeof Optimization.Type
