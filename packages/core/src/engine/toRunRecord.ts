/**
 * What a run's positions depend on besides its rules, as the numbers that `positions.ts` reads.
 *
 * @since 0.1.0
 */
import type { PlanDistance, StrategyPlan } from "../interpreters/planStrategy.ts"
import { toTradingPlan } from "../interpreters/tradingPlan.ts"
import type { SizingRule } from "../kernel/sizing.ts"
import type { ColumnStore } from "./ColumnStore.ts"
import type { EngineRun } from "./Run.ts"

const distanceKinds = { fraction: 1, distance: 2, price: 3 } as const

/** Kind, value and column of a level; a multiple of a column is read from that column. */
const toLevel = (
  distance: PlanDistance | null,
  columns: ColumnStore
): readonly [number, number, number] => {
  if (distance === null) return [0, 0, 0]
  const kind = distanceKinds[distance.kind]
  if (distance.kind === "fraction") return [kind, distance.value, 0]
  const { inputs, operation } = distance.value
  const [of, multiple] = inputs
  return operation === "mul" && multiple!.operation === "constant"
    ? [kind, multiple!.settings[0]!, columns.whole(of!)]
    : [kind, 1, columns.whole(distance.value)]
}

const toSize = (sizing: SizingRule): readonly [number, number] => {
  switch (sizing.type) {
    case "equity_fraction":
      return [0, sizing.fraction]
    case "risk_per_trade":
      return [1, sizing.fraction]
    case "fixed_notional":
      return [2, sizing.notional]
    case "fixed_quantity":
      return [3, sizing.quantity]
    default:
      throw new Error("volatility targets run on the plain path")
  }
}

/** Levels, size and limits of a run. */
export const toRunRecord = (
  { definition, values }: EngineRun,
  plan: StrategyPlan,
  columns: ColumnStore
): Float64Array => {
  const { cooldown, cooldownAfterStop, sizing, timeLimit } = toTradingPlan(definition, values)
  return Float64Array.of(
    ...toLevel(plan.stopLoss, columns),
    ...toLevel(plan.takeProfit, columns),
    ...toSize(sizing),
    timeLimit ?? -1,
    cooldown,
    cooldownAfterStop
  )
}
