/**
 * Reads the rules and prices that a ladder asks of a candle, as the laws compare them.
 */
import type { ParameterValues } from "../../src/language/Parameter.ts"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import type { LadderSignals } from "../../src/kernel/ladder/LadderView.ts"
import { planStrategy } from "../../src/plan/planStrategy.ts"

type Asked = Pick<LadderSignals, "rule" | "series">

/** A reader of every rule and price of a strategy's ladder; without a ladder there are none. */
export const slotsReader = (definition: StrategyDefinition, values: ParameterValues) => {
  const { ladder } = planStrategy(definition, values)
  const rules = [...(ladder?.rules.keys() ?? [])]
  const series = [...(ladder?.series.keys() ?? [])]
  return ({ rule, series: priceOf }: Asked): ReadonlyArray<boolean | number> => [
    ...rules.map((slot) => rule(slot)),
    ...series.map((slot) => priceOf(slot))
  ]
}
