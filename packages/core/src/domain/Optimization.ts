/**
 * The request, record and report of an optimization, which searches better parameters of one
 * strategy.
 *
 * The search chooses on the candles in sample, and measures the choice once on those out of sample.
 * `walk_forward` repeats choice and use in windows, all before the candles out of sample.
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
  MetricValues,
  objectives,
  ParameterConstraint,
  ParameterRange,
  ParameterValues,
  RiskProfile,
  Timeframe,
  TimeframeOrAlias,
  Timestamp
} from "@candlewick/engine"
import { MarketPin } from "./Market.ts"
import type { PageRequest } from "./Page.ts"
import { runPinFields, VersionNumber } from "./Pins.ts"
import { PlainRuns } from "./PlainRuns.ts"
import { costFields, runFields, Seed } from "./Run.ts"
import { Measured } from "./Verdict.ts"

/** How parameter sets are proposed. @category schemas @since 0.1.0 */
export const SearchMethod = Schema.Literals(["grid", "random"])

/** How parameter sets are proposed. @category models @since 0.1.0 */
export type SearchMethod = typeof SearchMethod.Type

/**
 * Walk-forward before the candles out of sample: in each window the parameters are chosen on one
 * stretch and used on the next.
 *
 * @category schemas
 * @since 0.1.0
 */
export const WalkForwardRequest = Schema.Struct({
  /** Whether stretches that choose have one length, or all begin at the first candle. */
  mode: Schema.Literals(["rolling", "anchored"]),
  windows: Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 20 })),
  /** Share of the candles in sample that the first window chooses on; 0.5 without it. */
  train_rate: Schema.optionalKey(
    Schema.Finite.check(Schema.isBetween({ minimum: 0.1, maximum: 0.9 }))
  )
})

/** Walk-forward before the candles out of sample. @category models @since 0.1.0 */
export type WalkForwardRequest = typeof WalkForwardRequest.Type

/** The request for an optimization. @category schemas @since 0.1.0 */
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
  /** The condition on every trial's parameters, such as `fast < slow`. */
  constraints: Schema.optionalKey(Schema.Array(ParameterConstraint).check(Schema.isMaxLength(50))),
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
  walk_forward: Schema.optionalKey(WalkForwardRequest),
  ...costFields
})

/** The request for an optimization. @category models @since 0.1.0 */
export type OptimizeRequest = typeof OptimizeRequest.Type

/** One parameter set and its figures in sample. @category schemas @since 0.1.0 */
export const Trial = Schema.Struct({
  index: Schema.Int,
  parameters: ParameterValues,
  objective: Schema.NullOr(Schema.Finite),
  position_count: Schema.Int,
  is_eligible: Schema.Boolean
})

/** One parameter set and its figures in sample. @category models @since 0.1.0 */
export type Trial = typeof Trial.Type

/** A trial with all that was measured of it in sample. @category schemas @since 0.1.0 */
export const TrialDetails = Schema.Struct({ ...Trial.fields, metrics: MetricValues })

/** A trial with all that was measured of it in sample. @category models @since 0.1.0 */
export type TrialDetails = typeof TrialDetails.Type

/**
 * How trials are ordered: by their objective, best first, or by a column: `index`,
 * `parameters.<name>`, `objective`, `position_count`, `is_eligible` or a metric. `is_eligible=true`
 * lists eligible trials only, and `false` the others.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TrialOrder = Schema.Struct({
  sort: Schema.optional(Schema.String),
  order: Schema.optional(Schema.Literals(["asc", "desc"])),
  is_eligible: Schema.optional(Schema.Boolean)
})

/** How trials are ordered. @category models @since 0.1.0 */
export type TrialOrder = typeof TrialOrder.Type

/** Which trials a caller wants, in which order. @category models @since 0.1.0 */
export interface TrialsRequest extends PageRequest, TrialOrder {}

/**
 * All trials of a search as a table; null where a value is missing.
 *
 * @category models
 * @since 0.1.0
 */
export interface TrialTable {
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<number | null>>
}

/**
 * Which trial becomes a version of its strategy; the best without it.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApplyRequest = Schema.Struct({
  trial_index: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
})

/** Which trial becomes a version of its strategy. @category models @since 0.1.0 */
export type ApplyRequest = typeof ApplyRequest.Type

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
  constraints: Schema.optionalKey(Schema.Array(Schema.String)),
  walk_forward: Schema.optionalKey(WalkForwardRequest),
  /** How many points the whole space has, or null where it is continuous. */
  space_size: Schema.NullOr(Schema.Finite)
})

/** A parameter set with its results in and out of sample. @category schemas @since 0.1.0 */
export const MeasuredParameterSet = Schema.Struct({
  parameters: ParameterValues,
  in_sample: Measured,
  out_of_sample: Measured
})

/** A parameter set with its results in and out of sample. @category models @since 0.1.0 */
export type MeasuredParameterSet = typeof MeasuredParameterSet.Type

const Span = Schema.Struct({ from: Timestamp, last_candle_at: Timestamp })

/** The results of walking forward. */
export const WalkForwardReport = Schema.Struct({
  mode: WalkForwardRequest.fields.mode,
  train_rate: Schema.Finite,
  windows: Schema.Array(
    Schema.Struct({
      /** The candles that chose, and those that the choice was used on. */
      trained: Span,
      tested: Span,
      /** The chosen trial; null where none was eligible. */
      trial_index: Schema.NullOr(Schema.Int),
      parameters: Schema.NullOr(ParameterValues),
      objective_in_sample: Schema.NullOr(Schema.Finite),
      objective_out_of_sample: Schema.NullOr(Schema.Finite),
      out_of_sample: Schema.NullOr(Measured)
    })
  ),
  /** The returns of the tested stretches one after the other. */
  total_return: Schema.NullOr(Schema.Finite),
  /** Share of the tested stretches with a profit. */
  profitable_rate: Schema.NullOr(Schema.Finite),
  /** The summed objective of tests over that of choices; null unless the latter is above 0. */
  retained_rate: Schema.NullOr(Schema.Finite)
})

/** The results of walking forward. @category models @since 0.1.0 */
export type WalkForwardReport = typeof WalkForwardReport.Type

/**
 * The worth of a search's best. A part is null where the trials don't give it: there are too few of
 * them, or of their returns.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SearchJudgement = Schema.Struct({
  /** The probability that the best's Sharpe ratio is more than that of the best of luck. */
  deflated_sharpe: Schema.NullOr(
    Schema.Struct({
      probability: Schema.Finite,
      /** A year's, of the best trial in sample. */
      sharpe: Schema.Finite,
      /** The expected best of as many worthless trials. */
      sharpe_of_luck: Schema.Finite,
      trial_count: Schema.Int
    })
  ),
  /** Combinatorially symmetric cross-validation of all trials in sample. */
  overfitting: Schema.NullOr(
    Schema.Struct({
      /** Share of the splits whose best is at or below the median of all trials elsewhere. */
      probability: Schema.Finite,
      /** Share of the splits whose best loses elsewhere. */
      loss_probability: Schema.Finite,
      block_count: Schema.Int,
      split_count: Schema.Int,
      /** The line from the best's Sharpe ratio in a split to that elsewhere. */
      slope: Schema.NullOr(Schema.Finite),
      intercept: Schema.NullOr(Schema.Finite),
      r_squared: Schema.NullOr(Schema.Finite)
    })
  ),
  /** Trials whose parameters are each at most a step, or a tenth of the range, from the best's. */
  neighbourhood: Schema.NullOr(
    Schema.Struct({
      trial_count: Schema.Int,
      eligible_count: Schema.Int,
      objective_median: Schema.NullOr(Schema.Finite),
      objective_worst: Schema.NullOr(Schema.Finite)
    })
  ),
  /** The part of the best's objective that was left out of sample. */
  degradation: Schema.NullOr(
    Schema.Struct({
      objective_in_sample: Schema.NullOr(Schema.Finite),
      objective_out_of_sample: Schema.NullOr(Schema.Finite),
      /** The second over the first; null where the first is not above 0. */
      retained_rate: Schema.NullOr(Schema.Finite)
    })
  ),
  /** Whether the best did worse out of sample than the strategy's own parameters. */
  is_worse_than_original: Schema.NullOr(Schema.Boolean)
})

/** The worth of a search's best. @category models @since 0.1.0 */
export type SearchJudgement = typeof SearchJudgement.Type

/** The results of an optimization. @category schemas @since 0.1.0 */
export const OptimizationReport = Schema.Struct({
  config: OptimizationConfig,
  data_quality: Schema.Array(DataQuality),
  /** Which revisions of its markets it ran by; absent in reports of earlier versions. */
  markets: Schema.optionalKey(Schema.Array(MarketPin)),
  engine_version: Schema.String,
  /** The best eligible trial, or null where none was. */
  best: Schema.NullOr(MeasuredParameterSet),
  /** The results of the strategy's own parameters. */
  original: Schema.NullOr(MeasuredParameterSet),
  /** The best trials in sample, best first, at most 100. */
  trials: Schema.Array(Trial),
  trial_count: Schema.Int,
  eligible_count: Schema.Int,
  /** The worth of the best; absent in reports of earlier versions. */
  judgement: Schema.optionalKey(SearchJudgement),
  /**
   * The results of walking forward, where it was asked for and the run was not cancelled before.
   */
  walk_forward: Schema.optionalKey(WalkForwardReport),
  /** Trials that went candle by candle, and why; absent in reports of earlier versions. */
  plain_runs: Schema.optionalKey(PlainRuns),
  warnings: Schema.Array(Schema.String)
})

/** The results of an optimization. @category models @since 0.1.0 */
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
