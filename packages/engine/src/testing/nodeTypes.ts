/**
 * The nodes of the strategy format, so that a property test can say that it saw them all.
 *
 * @since 0.1.0
 */
import { indicatorNames } from "../language/Indicator.ts"
import type { StrategyDefinition } from "../language/StrategyDefinition.ts"

/** Types that only ladders hold. @category generators @since 0.1.0 */
export const ladderNodeTypes: ReadonlyArray<string> = ["stop_limit", "one_cancels_other", "scaled"]

/** Every `type` that a strategy without a ladder may hold. @category generators @since 0.1.0 */
export const nodeTypes: ReadonlyArray<string> = [
  ...indicatorNames,
  ..."price constant add sub mul div min max abs shift highest lowest mean".split(" "),
  ..."stdev percentile timeframe symbol above below crosses_above crosses_below".split(" "),
  ..."between rising falling true_for all any not hours weekdays".split(" "),
  ..."fraction atr level market limit stop risk_per_trade equity_fraction".split(" "),
  ..."fixed_notional fixed_quantity volatility_target".split(" ")
].filter((type, at, all) => all.indexOf(type) === at)

const addTypes = (value: unknown, found: Set<string>): Set<string> => {
  if (typeof value !== "object" || value === null) return found
  if ("type" in value && typeof value.type === "string") found.add(value.type)
  for (const part of Object.values(value)) addTypes(part, found)
  return found
}

/** Every `type` that a strategy holds. @category generators @since 0.1.0 */
export const nodeTypesIn = (definition: StrategyDefinition): ReadonlySet<string> =>
  addTypes(definition, new Set())
