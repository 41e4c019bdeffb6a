/**
 * How many candles a strategy needs before all that it computes is defined.
 *
 * @since 0.1.0
 */
import { type Indicator, type IndicatorName, indicators } from "../domain/Indicator.ts"
import type { PlanNode, StrategyPlan } from "./planStrategy.ts"

/** Candles that a node adds to the warm-up of what it is computed from. */
const added = (node: PlanNode): number => {
  const { operation, name, settings } = node
  switch (operation) {
    case "indicator": {
      const row: Indicator = indicators[name as IndicatorName]
      return row.warmup(...settings)
    }
    case "output":
      return outputDelay(node)
    case "shift":
    case "rising":
    case "falling":
      return settings[0] ?? 0
    case "highest":
    case "lowest":
    case "mean":
    case "stdev":
    case "percentile":
    case "true_for":
      return (settings[0] ?? 1) - 1
    case "crosses_above":
    case "crosses_below":
      return 1
    default:
      return 0
  }
}

/**
 * Candles by which an output begins later than the first one of its indicator: the signal of a MACD
 * does.
 */
const outputDelay = (node: PlanNode): number => {
  const [source] = node.inputs
  if (node.operation !== "output" || node.settings[0] === 0 || source?.name !== "macd") return 0
  return (source.settings[2] ?? 1) - 1
}

/**
 * The number of candles, in the strategy's own timeframe, before every node of a plan is defined.
 *
 * **Details**
 *
 * Longer candles count as whole ones, plus one that may be under way at the start.
 *
 * @category interpreters
 * @since 0.1.0
 */
export const planWarmup = (plan: StrategyPlan): number => {
  const [own] = plan.lanes
  const known = new Map<PlanNode, number>()
  const warmupOf = (node: PlanNode): number => {
    const before = known.get(node)
    if (before !== undefined) return before
    const inputs = Math.max(0, ...node.inputs.map(warmupOf))
    const warmup = node.operation === "timeframe" ? toShorter(inputs, node) : inputs + added(node)
    known.set(node, warmup)
    return warmup
  }
  const toShorter = (candles: number, node: PlanNode): number => {
    const inner = node.inputs[0]!.lane.durationMs
    return Math.ceil(((candles + 2) * inner) / node.lane.durationMs)
  }
  if (own === undefined) return 0
  return plan.nodes.reduce(
    (longest, node) => (node.lane === own ? Math.max(longest, warmupOf(node)) : longest),
    0
  )
}
