/**
 * A strategy record: its definition, its source, and the findings about it.
 *
 * `origin` says whether the service generated the strategy or a person wrote it. `StrategyMachine`
 * moves its `status`. Each change of the rules makes a new version.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { boundedText } from "./boundedText.ts"
import { AccountId, StrategyId } from "./Identifier.ts"
import {
  MarketSymbol,
  MarketSymbols,
  Objective,
  objectives,
  RiskProfile,
  riskProfiles,
  RiskTolerance,
  StrategyDefinition,
  Timeframe,
  TimeframeOrAlias,
  Timestamp
} from "@candlewick/engine"
import { PlainRuns } from "./PlainRuns.ts"
import { JudgedStretch } from "./JudgedStretch.ts"
import { costFields, RunError, RunStep, Seed } from "./Run.ts"
import { StrategyMachine } from "./StrategyMachine.ts"
import { Evidence, Verdict } from "./Verdict.ts"

/** The name that people see: something visible on one line. @category schemas @since 0.1.0 */
export const DisplayName = boundedText(1, 100).check(
  Schema.isPattern(/^[^\p{Cc}\p{Zl}\p{Zp}]*[^\p{Cc}\p{Z}][^\p{Cc}\p{Zl}\p{Zp}]*$/u, {
    expected: "a name on one line, without control characters"
  })
)

/** A tunable number with its bounds and its value. @category schemas @since 0.1.0 */
export const StrategyParameter = Schema.Struct({
  name: Schema.String,
  kind: Schema.Literals(["integer", "float", "choice"]),
  value: Schema.Finite,
  min: Schema.NullOr(Schema.Finite),
  max: Schema.NullOr(Schema.Finite),
  step: Schema.NullOr(Schema.Finite)
})

/** How a generated strategy came to be. @category schemas @since 0.1.0 */
export const Provenance = Schema.Struct({
  engine_version: Schema.String,
  seed: Seed,
  data_hash: Schema.String,
  data_from: Timestamp,
  data_to: Timestamp,
  synthetic: Schema.Boolean,
  resampled_from: Schema.NullOr(Timeframe),
  candidates_evaluated: Schema.Int,
  candidates_eligible: Schema.Int,
  /** Candidates that went candle by candle, and why; absent where an earlier version made it. */
  plain_runs: Schema.optionalKey(PlainRuns),
  family: Schema.String
})

/** The request for a generation. @category schemas @since 0.1.0 */
export const GenerateRequest = Schema.Struct({
  objective: Objective,
  risk_tolerance: RiskTolerance,
  timeframe: TimeframeOrAlias,
  symbols: Schema.optionalKey(MarketSymbols),
  from: Schema.optionalKey(Timestamp),
  to: Schema.optionalKey(Timestamp),
  seed: Schema.optionalKey(Seed),
  max_candidates: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))
  ),
  ...costFields
})

/** The request for a generation. @category models @since 0.1.0 */
export type GenerateRequest = typeof GenerateRequest.Type

/** A strategy as it is kept. @category schemas @since 0.1.0 */
export const Strategy = Schema.Struct({
  id: StrategyId,
  account_id: AccountId,
  name: DisplayName,
  status: Schema.Literals(StrategyMachine.states),
  origin: Schema.Literals(["generated", "written"]),
  objective: Schema.NullOr(Schema.Literals(objectives)),
  risk_tolerance: Schema.NullOr(Schema.Literals(["low", "medium", "high"])),
  risk_profile: Schema.NullOr(RiskProfile),
  symbols: Schema.Array(MarketSymbol),
  timeframe: Timeframe,
  definition: Schema.NullOr(StrategyDefinition),
  /** The definition in plain sentences. */
  description: Schema.NullOr(Schema.Array(Schema.String)),
  parameters: Schema.Array(StrategyParameter),
  verdict: Schema.NullOr(Verdict),
  evidence: Schema.NullOr(Evidence),
  provenance: Schema.NullOr(Provenance),
  /** Which stretches its generation has judged; none where it was written or changed. */
  judged_stretches: Schema.optionalKey(Schema.Array(JudgedStretch)),
  warnings: Schema.Array(Schema.String),
  synthetic: Schema.Boolean,
  parent_id: Schema.NullOr(StrategyId),
  /** The request for the generation that made it; absent where it was written. */
  request: Schema.optionalKey(GenerateRequest),
  progress: Schema.Finite,
  step: RunStep,
  eta_seconds: Schema.NullOr(Schema.Finite),
  queue_position: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(RunError),
  version: Schema.Int,
  created_at: Timestamp,
  updated_at: Timestamp
})

/** A strategy as it is kept. @category models @since 0.1.0 */
export type Strategy = typeof Strategy.Type

/** A strategy written by hand. @category schemas @since 0.1.0 */
export const StrategyRequest = Schema.Struct({
  name: DisplayName,
  definition: StrategyDefinition,
  risk_tolerance: Schema.optionalKey(RiskTolerance)
})

/** A strategy written by hand. @category models @since 0.1.0 */
export type StrategyRequest = typeof StrategyRequest.Type

/** The signals of a strategy if it were kept. @category schemas @since 0.1.0 */
export const StrategyCheck = Schema.Struct({
  /** The definition in plain sentences. */
  description: Schema.Array(Schema.String),
  parameters: Strategy.fields.parameters,
  warnings: Strategy.fields.warnings
})

/** The signals of a strategy if it were kept. @category models @since 0.1.0 */
export type StrategyCheck = typeof StrategyCheck.Type

/** Changes to a strategy. @category schemas @since 0.1.0 */
export const StrategyChanges = Schema.Struct({
  name: Schema.optionalKey(DisplayName),
  definition: Schema.optionalKey(StrategyDefinition),
  risk_tolerance: Schema.optionalKey(RiskTolerance)
})

/** Changes to a strategy. @category models @since 0.1.0 */
export type StrategyChanges = typeof StrategyChanges.Type

/** The risk profile that a tolerance stands for, or none. @category models @since 0.1.0 */
export const riskProfileOf = (tolerance: RiskTolerance | null | undefined): RiskProfile | null =>
  tolerance === null || tolerance === undefined ? null : riskProfiles[tolerance]
