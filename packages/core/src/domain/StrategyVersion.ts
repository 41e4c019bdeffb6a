/**
 * A version of a strategy: its content from one change to the next, kept for good.
 *
 * A result names its version, so that its rules are known after the strategy has changed.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { StrategyDefinition } from "@candlewick/engine"
import { OptimizationId, StrategyId } from "./Identifier.ts"
import { VersionNumber } from "./Pins.ts"
import { Strategy } from "./Strategy.ts"

/** Where a version comes from. @category schemas @since 0.1.0 */
export const StrategyLineage = Schema.Struct({
  /** How it was made: written, generated, changed by hand, or from a trial of a search. */
  origin: Schema.Literals(["written", "generated", "changed", "applied"]),
  /** The version before it; null where it is the first. */
  from_version: Schema.NullOr(Schema.Int),
  /** The search and the trial whose parameters it has; null where it has none of a search. */
  optimization_id: Schema.NullOr(OptimizationId),
  trial_index: Schema.NullOr(Schema.Int)
})

/** Where a version comes from. @category models @since 0.1.0 */
export type StrategyLineage = typeof StrategyLineage.Type

const { fields } = Strategy

/** A version of a strategy. @category schemas @since 0.1.0 */
export const StrategyVersion = Schema.Struct({
  strategy_id: StrategyId,
  account_id: fields.account_id,
  /** Rises with each change. Writes of a generation count too, so that numbers may be left out. */
  version: VersionNumber,
  /** SHA-256 of the definition, in hex: equal rules with equal defaults have equal hashes. */
  definition_hash: Schema.String,
  lineage: StrategyLineage,
  created_at: fields.created_at,
  name: fields.name,
  objective: fields.objective,
  risk_tolerance: fields.risk_tolerance,
  risk_profile: fields.risk_profile,
  symbols: fields.symbols,
  timeframe: fields.timeframe,
  definition: StrategyDefinition,
  description: fields.description,
  parameters: fields.parameters,
  verdict: fields.verdict,
  evidence: fields.evidence,
  provenance: fields.provenance,
  warnings: fields.warnings,
  synthetic: fields.synthetic
})

/** A version of a strategy. @category models @since 0.1.0 */
export type StrategyVersion = typeof StrategyVersion.Type
