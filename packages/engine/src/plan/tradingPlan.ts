/**
 * The part of a strategy that the simulator and the bot decide with: orders, sizes, limits, and
 * exits as levels.
 *
 * @since 0.1.0
 */
import type { ParameterValues, Setting } from "../language/Parameter.ts"
import type { Sizing } from "../language/Sizing.ts"
import type { StrategyDefinition } from "../language/StrategyDefinition.ts"
import type { Timeframe } from "../language/Timeframe.ts"
import { timeframeMs } from "../language/catalogue/timeframes.ts"
import { dayMs } from "../kernel/calendar.ts"
import type { EntryLevels, EntryPlan, TradingPlan } from "../kernel/decide.ts"
import type { AttachedExits, ExitLevel } from "../kernel/protection.ts"
import type { SizingRule } from "../kernel/sizing.ts"
import type { PlanDistance, PlanNode, StrategyPlan } from "./StrategyPlan.ts"
import { resolveSetting } from "../language/resolveSetting.ts"

const yearMs = 365 * dayMs

/** The ratio of a year's volatility to that of a candle. */
export const annualizingOf = (timeframe: Timeframe): number =>
  Math.sqrt(yearMs / timeframeMs(timeframe))

const toEntryPlan = (definition: StrategyDefinition, values: ParameterValues): EntryPlan => {
  const { entry } = definition
  if (entry === undefined || entry.type === "market") {
    return { type: "market", offsetRate: 0, expiresAfter: null }
  }
  const { type } = entry
  // The plan of a ladder orders entries that rest in other ways.
  const isPlain = type === "limit" || type === "stop"
  if (!isPlain || entry.offset === undefined || entry.expires_after === undefined) {
    return { type: "market", offsetRate: 0, expiresAfter: null }
  }
  return {
    type,
    offsetRate: resolveSetting(entry.offset, values),
    expiresAfter: resolveSetting(entry.expires_after, values)
  }
}

/** The rule of an entry's size; all of the equity by default. @category plans @since 0.1.0 */
export const toSizingRule = (sizing: Sizing | undefined, values: ParameterValues): SizingRule => {
  if (sizing === undefined) return { type: "equity_fraction", fraction: 1 }
  const number = (setting: Setting): number => resolveSetting(setting, values)
  switch (sizing.type) {
    case "risk_per_trade":
    case "equity_fraction":
      return { type: sizing.type, fraction: number(sizing.fraction) }
    case "fixed_notional":
      return { type: sizing.type, notional: number(sizing.notional) }
    case "fixed_quantity":
      return { type: sizing.type, quantity: number(sizing.quantity) }
    default:
      return { type: sizing.type, target: number(sizing.target) }
  }
}

/**
 * The terms that a strategy fixes for a whole run, with its defaults: market entries, all of the
 * equity, no waiting.
 *
 * @category plans
 * @since 0.1.0
 */
export const toTradingPlan = (
  definition: StrategyDefinition,
  values: ParameterValues
): TradingPlan => {
  const { exits, reentry, max_positions: positionsMax, symbols } = definition
  const number = <A>(setting: Setting | undefined, otherwise: A): number | A =>
    setting === undefined ? otherwise : resolveSetting(setting, values)
  return {
    entry: toEntryPlan(definition, values),
    sizing: toSizingRule(definition.sizing, values),
    timeLimit: number(exits?.time_limit, null),
    positionsMax: positionsMax ?? symbols.length,
    cooldown: number(reentry?.cooldown, 0),
    cooldownAfterStop: number(reentry?.cooldown_after_stop, 0)
  }
}

/** Reads the value of a node at the candle that is being decided. @category models @since 0.1.0 */
export type NodeReader = (node: PlanNode) => number

/**
 * Makes the function that reads exit levels and volatility from a plan's nodes at one candle.
 *
 * **Details**
 *
 * Volatility is that of a year of 365 days. Only the directions that the strategy trades have
 * exits.
 *
 * @category levels
 * @since 0.1.0
 */
export const levelsReader = (
  definition: StrategyDefinition,
  values: ParameterValues,
  plan: StrategyPlan
): ((read: NodeReader) => EntryLevels) => {
  const offset = definition.exits?.break_even?.offset
  const offsetRate = offset === undefined ? 0 : resolveSetting(offset, values)
  const annualizing = annualizingOf(definition.timeframe)
  const { stopLoss, takeProfit, trailingDistance, trailingActivation, breakEvenActivation } = plan
  const hasExits = [stopLoss, takeProfit, trailingDistance, breakEvenActivation].some(
    (distance) => distance !== null
  )
  return (read) => {
    const level = (distance: PlanDistance): ExitLevel =>
      distance.kind === "fraction" ? distance : { kind: distance.kind, value: read(distance.value) }
    const orNull = (distance: PlanDistance | null): ExitLevel | null =>
      distance === null ? null : level(distance)
    const attached: AttachedExits | null = hasExits
      ? {
          stopLoss: orNull(stopLoss),
          takeProfit: orNull(takeProfit),
          trailingStop:
            trailingDistance === null
              ? null
              : { distance: level(trailingDistance), activation: orNull(trailingActivation) },
          breakEven:
            breakEvenActivation === null
              ? null
              : { activation: level(breakEvenActivation), offsetRate }
        }
      : null
    // Code may enter in either direction.
    const isCode = definition.code !== undefined
    return {
      long: plan.enterLong === null && !isCode ? null : attached,
      short: plan.enterShort === null && !isCode ? null : attached,
      volatility: plan.volatility === null ? Number.NaN : read(plan.volatility) * annualizing
    }
  }
}
