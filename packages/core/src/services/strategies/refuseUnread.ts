/**
 * The refusal of a bot or a run whose markets lack one that the strategy reads.
 *
 * @since 0.1.0
 */
import { checkRead, type StrategyDefinition } from "@candlewick/engine"
import { Effect } from "effect"
import { type Problem, problem } from "../../domain/Problem.ts"

/** Fails where a market is missing that a rule reads, or where the strategy trades none of them. */
export const refuseUnread = (
  definition: StrategyDefinition,
  symbols: ReadonlyArray<string>,
  pointer: "" | "/strategy_id" | "/symbols"
): Effect.Effect<void, Problem> => {
  const errors = checkRead(definition, symbols, pointer)
  const [fault] = errors
  return fault === undefined
    ? Effect.void
    : Effect.fail(problem("unprocessable", `${fault.message}.`, { errors }))
}
