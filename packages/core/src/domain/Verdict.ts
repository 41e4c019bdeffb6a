/**
 * The findings about a strategy on candles that did not choose it.
 *
 * - `deployable`: all gates hold.
 * - `caution`: some gate fails, and the evidence is still promising.
 * - `no_edge_found`: the candles show no advantage over chance.
 *
 * A verdict rests on gates. A gate compares one measured value with a threshold, and says so in a
 * sentence. `services/runs/generate/decideVerdict.ts` decides; this module has the records alone.
 * No verdict promises a result on later candles.
 *
 * **Example** (The uses from best to worst)
 *
 * ```ts
 * import { Verdict } from "@candlewick/core"
 *
 * console.log(Verdict.literals)
 * ```
 *
 * ```text output
 * [ 'deployable', 'caution', 'no_edge_found' ]
 * ```
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { MetricValues, Timestamp } from "@candlewick/engine"
import { MarketPin } from "./Market.ts"

/** The allowed use of a strategy. @category schemas @since 0.1.0 */
export const Verdict = Schema.Literals(["deployable", "caution", "no_edge_found"])

/** The allowed use of a strategy. @category models @since 0.1.0 */
export type Verdict = typeof Verdict.Type

/** Metrics over one stretch of candles, and why some are null. @category schemas @since 0.1.0 */
export const Measured = Schema.Struct({
  from: Timestamp,
  to: Timestamp,
  candle_count: Schema.Int,
  metrics: MetricValues,
  /** Why a metric is null, by its name. */
  reasons: Schema.Record(Schema.String, Schema.String)
})

/** Metrics over one stretch of candles, and why some are null. @category models @since 0.1.0 */
export type Measured = typeof Measured.Type

/**
 * One gate of the verdict: its demand, the measured value, and whether the gate held.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Gate = Schema.Struct({
  name: Schema.String,
  is_passed: Schema.Boolean,
  value: Schema.NullOr(Schema.Finite),
  threshold: Schema.NullOr(Schema.Finite),
  sentence: Schema.String
})

/** One gate of the verdict. @category models @since 0.1.0 */
export type Gate = typeof Gate.Type

/** Everything a verdict rests on. @category schemas @since 0.1.0 */
export const Evidence = Schema.Struct({
  /** Which revisions of the markets it was found on; absent where an earlier version made it. */
  markets: Schema.optionalKey(Schema.Array(MarketPin)),
  in_sample: Schema.NullOr(Measured),
  out_of_sample: Schema.NullOr(Measured),
  buy_and_hold: Schema.NullOr(MetricValues),
  /** How the judged result ranks among random entries with as many trades held as long. */
  random_entries: Schema.NullOr(
    Schema.Struct({
      count: Schema.Int,
      beaten_rate: Schema.Finite,
      objective_median: Schema.NullOr(Schema.Finite),
      objective_p95: Schema.NullOr(Schema.Finite)
    })
  ),
  gates: Schema.Array(Gate),
  rule: Schema.String
})

/** Everything a verdict rests on. @category models @since 0.1.0 */
export type Evidence = typeof Evidence.Type
