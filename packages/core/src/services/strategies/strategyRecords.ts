/**
 * Records of strategies: their parameters as callers see them, and the event that announces one.
 *
 * @since 0.1.0
 */
import type { Strategy } from "../../domain/Strategy.ts"
import {
  describeCaps,
  describeStrategy,
  type RiskProfile,
  type StrategyDefinition
} from "@candlewick/engine"

/** The parameters of a definition with their values and bounds. */
export const toParameters = (definition: StrategyDefinition): Strategy["parameters"] =>
  Object.entries(definition.parameters).map(([name, parameter]) => ({
    name,
    kind: parameter.kind,
    value: parameter.default,
    min: parameter.kind === "choice" ? null : parameter.min,
    max: parameter.kind === "choice" ? null : parameter.max,
    step: parameter.kind === "choice" ? null : (parameter.step ?? null)
  }))

/**
 * The sentences of a strategy, and those on how its risk profile cuts the sizes that they state.
 */
export const describeSized = (
  definition: StrategyDefinition,
  profile: RiskProfile | null | undefined
): ReadonlyArray<string> => [
  ...describeStrategy(definition),
  ...(profile === null || profile === undefined ? [] : describeCaps(profile))
]

/** The announcement of a strategy that was generated or written. */
export const toGeneratedFields = (strategy: Strategy): Readonly<Record<string, unknown>> => ({
  strategy_id: strategy.id,
  name: strategy.name,
  objective: strategy.objective,
  risk_tolerance: strategy.risk_tolerance,
  timeframe: strategy.timeframe,
  symbols: strategy.symbols,
  verdict: strategy.verdict,
  holdout: strategy.evidence?.out_of_sample?.metrics ?? null,
  synthetic: strategy.synthetic
})
