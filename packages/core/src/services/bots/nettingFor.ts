/**
 * The effect of a strategy's entries beside a position, as its bots and their brokers go by it.
 *
 * @since 0.1.0
 */
import { defaultValues, planStrategy, type StrategyDefinition } from "@candlewick/engine"
import { type NettingMode, nettingOf } from "@candlewick/engine/kernel"

/** The netting of a strategy. */
export const nettingFor = (definition: StrategyDefinition): NettingMode =>
  nettingOf(planStrategy(definition, defaultValues(definition)).ladder?.plan ?? null)
