/**
 * Computes a node that is no indicator and reads no other lane, candle by candle.
 *
 * @since 0.1.0
 */
import { type RuleOperation, ruleOperations } from "./ruleOperations.ts"
import { type NodeStep, type SeriesOperation, seriesOperations } from "./seriesOperations.ts"
import type { PlanNode } from "./StrategyPlan.ts"

/** The step of a node that reads its inputs from `values` at `slots`. @category steps @since 0.1.0 */
export const operationStep = (
  { name, operation, settings }: PlanNode,
  slots: ReadonlyArray<number>,
  values: Float64Array
): NodeStep => {
  const known: SeriesOperation | RuleOperation =
    operation in seriesOperations
      ? seriesOperations[operation as keyof typeof seriesOperations]
      : ruleOperations[operation as keyof typeof ruleOperations]
  return known.step(slots, settings, values, name)
}
