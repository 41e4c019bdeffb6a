/**
 * The number of candles that a strategy needs before all its values are defined.
 *
 * @since 0.1.0
 */
import { type IndicatorName, indicatorCatalogue } from "../language/Indicator.ts"
import { type Indicator } from "../language/IndicatorRow.ts"
import type { PlanNode, StrategyPlan } from "./StrategyPlan.ts"

/** Candles that a node adds to the warm-up of its inputs. */
const added = (node: PlanNode): number => {
  const { operation, name, settings } = node
  switch (operation) {
    case "indicator": {
      const row: Indicator = indicatorCatalogue[name as IndicatorName]
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

type Delay = (settings: ReadonlyArray<number>) => number

const beyondFirst =
  (setting: number): Delay =>
  (settings) =>
    (settings[setting] ?? 1) - 1

const ichimokuDelay =
  (delay: (conversion: number, base: number, span: number) => number): Delay =>
  ([conversion = 1, base = 1, span = 1]) =>
    delay(conversion, base, span)

/**
 * The number of candles by which outputs begin later than their indicator, in the order of the
 * catalogue. The first output is left out, and so are outputs that begin no later than it.
 */
const outputDelays: Partial<Record<IndicatorName, ReadonlyArray<Delay | null>>> = {
  macd: [null, beyondFirst(2), beyondFirst(2)],
  stochastic: [null, beyondFirst(2)],
  stoch_rsi: [null, beyondFirst(3)],
  tsi: [null, beyondFirst(2)],
  ichimoku: [
    null,
    ichimokuDelay((conversion, base) => base - conversion),
    ichimokuDelay((conversion, base) => Math.max(conversion, base) + base - conversion),
    ichimokuDelay((conversion, base, span) => span + base - conversion)
  ]
}

/** Candles by which an output begins later than its indicator does. */
const outputDelay = (node: PlanNode): number => {
  const [source] = node.inputs
  const [position] = node.settings
  if (source?.name === undefined || position === undefined) return 0
  const delay = outputDelays[source.name as IndicatorName]?.[position]
  return delay?.(source.settings) ?? 0
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
