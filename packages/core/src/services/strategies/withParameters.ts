/**
 * The rules of a strategy with the values that a bot or an applied trial has for its parameters.
 *
 * @since 0.1.0
 */
import {
  type ParameterValues,
  resolveParameters,
  type StrategyDefinition,
  withDefaults
} from "@candlewick/engine"
import { Effect } from "effect"
import { invalid, type Problem } from "../../domain/Problem.ts"

/** The rules with these defaults; fails with a fault for each value that is not right. */
export const withParameters = (
  definition: StrategyDefinition,
  parameters: ParameterValues | undefined
): Effect.Effect<StrategyDefinition, Problem> =>
  parameters === undefined
    ? Effect.succeed(definition)
    : Effect.fromResult(resolveParameters(definition, parameters)).pipe(
        Effect.mapError((faults) => invalid(faults)),
        Effect.map((values) => withDefaults(definition, values))
      )

/** The same for a bot at work, whose values were looked at when it was made and started. */
export const rulesOf = (
  definition: StrategyDefinition | null,
  { parameters }: { readonly parameters?: ParameterValues }
): StrategyDefinition | null =>
  definition === null || parameters === undefined
    ? definition
    : withDefaults(definition, parameters)
