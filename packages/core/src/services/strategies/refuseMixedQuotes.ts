/**
 * The refusal of markets in several quote currencies, the same for bots and runs.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { type Problem, problem } from "../../domain/Problem.ts"
import { checkQuotes } from "@candlewick/engine"

/** Fails where markets would share an account that are traded in several currencies. */
export const refuseMixedQuotes = (
  symbols: ReadonlyArray<string>,
  pointer: "" | "/strategy_id" | "/symbols"
): Effect.Effect<void, Problem> => {
  const errors = checkQuotes(symbols, pointer)
  const [fault] = errors
  return fault === undefined
    ? Effect.void
    : Effect.fail(problem("unprocessable", `${fault.message}.`, { errors }))
}
