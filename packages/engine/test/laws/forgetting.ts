/**
 * How far back what a strategy is made of remembers.
 */
import { type IndicatorName, indicatorCatalogue } from "../../src/language/Indicator.ts"
import { type Indicator } from "../../src/language/IndicatorRow.ts"
import type { PlanNode } from "../../src/plan/StrategyPlan.ts"
import { dayMs } from "../../src/kernel/calendar.ts"

/** The new value counts for one part in the period only. */
const wilderSmoothed = new Set<IndicatorName>([
  "rsi",
  "stoch_rsi",
  "atr",
  "natr",
  "adx",
  "keltner",
  "supertrend"
])

/** Rows that no number of windows makes forget, and what makes them forget. */
export const ownLaws: Partial<Record<IndicatorName, string>> = {
  obv: "it counts from the first candle on, so only its changes are the same",
  vwap: "it forgets with the UTC day",
  sar: "it forgets with its turns",
  supertrend: "its bands are carried until a close crosses them, so it forgets with its turns"
}

/** The largest of the periods of an indicator, or 1 where it has none. */
export const periodOf = (name: IndicatorName, settings: ReadonlyArray<number>): number => {
  const row: Indicator = indicatorCatalogue[name]
  const bounds = Object.values(row.settings)
  return Math.max(1, ...settings.filter((_, nth) => bounds[nth]?.kind === "integer"))
}

const windowOf = (name: IndicatorName, settings: ReadonlyArray<number>): number => {
  // Half of what was before is kept at each candle, as in an exponential average of three.
  if (name === "heikin_ashi") return 3
  // Where the price goes to and fro its weight is the square of that of the slow average.
  if (name === "kama") {
    const [length = 1, ...speeds] = settings
    const slowest = Math.max(...speeds)
    return Math.max(length, Math.ceil((slowest + 1) ** 2 / 2))
  }
  return periodOf(name, settings)
}

/** Candles after which an indicator has forgotten what was before them. */
export const forgottenAfter = (name: IndicatorName, settings: ReadonlyArray<number>): number =>
  (wilderSmoothed.has(name) ? 40 : 20) * windowOf(name, settings)

const lookingBack = new Set<PlanNode["operation"]>([
  "shift",
  "highest",
  "lowest",
  "mean",
  "stdev",
  "percentile",
  "rising",
  "falling",
  "true_for"
])

/** Candles before the present one that a node which is no indicator looks back on by itself. */
export const lookBackOf = ({ operation, settings }: PlanNode): number => {
  if (operation === "crosses_above" || operation === "crosses_below") return 1
  return lookingBack.has(operation) ? settings[0]! : 0
}

const ownMemoryOf = (node: PlanNode): number => {
  if (node.operation !== "indicator") return lookBackOf(node)
  const name = node.name as IndicatorName
  return name === "vwap" ? dayMs / node.lane.durationMs + 1 : forgottenAfter(name, node.settings)
}

/** Candles of its lane after which a node and all that it is computed from have forgotten. */
export const nodeForgottenAfter = (node: PlanNode): number => {
  const inputs = Math.max(0, ...node.inputs.map(nodeForgottenAfter))
  if (node.operation !== "timeframe") return inputs + ownMemoryOf(node)
  // The first of the longer candles may be under way at the start, and the last one at the end.
  return Math.ceil(((inputs + 2) * node.inputs[0]!.lane.durationMs) / node.lane.durationMs)
}
