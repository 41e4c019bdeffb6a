/**
 * A strategy's plan as operations of lanes.
 *
 * @since 0.1.0
 */
import type { IndicatorName } from "../../language/Indicator.ts"
import type { PlanNode, StrategyPlan } from "../../plan/StrategyPlan.ts"
import type { LaneNode, LaneProgram, NumberOperation, TruthKind } from "./LaneProgram.ts"
import { lowerIndicator } from "./lowerIndicator.ts"

const seriesKinds: ReadonlySet<string> = new Set<NumberOperation>([
  "price",
  "constant",
  "add",
  "sub",
  "mul",
  "div",
  "min",
  "max",
  "abs",
  "mean",
  "stdev",
  "highest",
  "lowest",
  "shift"
])

const truthKinds: ReadonlySet<string> = new Set<TruthKind>([
  "above",
  "crosses_above",
  "between",
  "rising",
  "falling",
  "true_for",
  "all",
  "any",
  "not",
  "hours",
  "weekdays"
])

const isSeriesKind = (operation: string): operation is NumberOperation => seriesKinds.has(operation)
const isTruthKind = (operation: string): operation is TruthKind => truthKinds.has(operation)

/** Gives the lanes of a node, or the reason why it has none. */
type Lowered = LaneNode | string

/**
 * Plan nodes that are known already, by their key, in lanes; the plans of bots that are alike are
 * mostly the same nodes.
 *
 * @category models
 * @since 0.1.0
 */
export type LoweredNodes = Map<string, LaneNode>

const lowerNode = (program: LaneProgram, known: LoweredNodes, node: PlanNode): Lowered => {
  const inputsOf = ({ inputs }: PlanNode): Array<LaneNode> =>
    inputs.flatMap(({ key }) => known.get(key) ?? [])
  const { operation, settings } = node
  if (operation === "output") {
    const whole = node.inputs[0]!
    const name = whole.name as IndicatorName
    const lowered = lowerIndicator(program, name, settings[0]!, inputsOf(whole), whole.settings)
    return lowered ?? `${name} has no form for lanes yet`
  }
  const inputs = inputsOf(node)
  // Below is above with its sides changed, in the steps as well.
  if (operation === "below") return program.truth("above", inputs.toReversed(), settings)
  if (operation === "crosses_below") {
    return program.truth("crosses_above", inputs.toReversed(), settings)
  }
  if (isSeriesKind(operation)) return program.series(operation, inputs, settings, node.name)
  if (isTruthKind(operation)) return program.truth(operation, inputs, settings)
  return `${operation} has no form for lanes yet`
}

/**
 * Adds the computation of a plan to a program, or gives the reason why it can't.
 *
 * @category programs
 * @since 0.1.0
 */
export const lowerPlan = (
  program: LaneProgram,
  known: LoweredNodes,
  { lanes, nodes }: StrategyPlan
): string | null => {
  if (lanes.length > 1) return "a series of other candles has no form for lanes yet"
  for (const node of nodes) {
    // An indicator is the list of its outputs.
    if (node.operation === "indicator" || known.has(node.key)) continue
    const lowered = lowerNode(program, known, node)
    if (typeof lowered === "string") return lowered
    known.set(node.key, lowered)
  }
  return null
}
