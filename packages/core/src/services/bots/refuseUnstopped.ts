/**
 * The refusal of a strategy without a stop loss under a risk profile that asks for one, the same
 * for bots and runs.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { type Problem, problem } from "../../domain/Problem.ts"
import { lacksStopLoss, type RiskProfile, type StrategyDefinition } from "@candlewick/engine"

/** Fails where the risk profile asks for a stop loss and the strategy has none. */
export const refuseUnstopped = (
  definition: StrategyDefinition,
  risk: RiskProfile | null,
  pointer: "" | "/strategy_id" | "/risk/is_stop_loss_mandatory"
): Effect.Effect<void, Problem> => {
  if (!lacksStopLoss(definition, risk)) return Effect.void
  const message = "The risk profile asks for a stop loss, and the strategy has none."
  const errors = [{ pointer, code: "stop_loss_required", message }]
  return Effect.fail(problem("unprocessable", message, { errors }))
}
