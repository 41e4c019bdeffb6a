/**
 * The reason for a signal: its rule in words, and the values of the rule's series at the candle.
 *
 * @since 0.1.0
 */
import type { Signal } from "../kernel/decide.ts"
import { describeRule } from "../language/describeExpression.ts"
import { wordsWith } from "../language/describeWords.ts"
import { indicatorCatalogue, type IndicatorName } from "../language/Indicator.ts"
import type { Indicator } from "../language/IndicatorRow.ts"
import type { ParameterValues } from "../language/Parameter.ts"
import type { Rule } from "../language/Rule.ts"
import type { StrategyDefinition } from "../language/StrategyDefinition.ts"
import { ruleOperations } from "./ruleOperations.ts"
import type { PlanNode, StrategyPlan } from "./StrategyPlan.ts"

/** Why a signal was given. @category models @since 0.1.0 */
export interface SignalReason {
  /** The rule as a clause. */
  readonly rule: string
  /** The series that it compares, at the last candle; null where one has no value yet. */
  readonly values: Readonly<Record<string, number | null>>
}

const ruleOf = ({ long, short }: StrategyDefinition, signal: keyof Signal): Rule | undefined => {
  switch (signal) {
    case "enterLong":
      return long?.enter
    case "exitLong":
      return long?.exit
    case "enterShort":
      return short?.enter
    case "exitShort":
      return short?.exit
  }
}

const callOf = (name: string, parts: ReadonlyArray<string | number>): string =>
  parts.length === 0 ? name : `${name}(${parts.join(", ")})`

const indicatorLabel = ({ inputs, name, settings }: PlanNode): string => {
  const sources = inputs.filter(({ operation }) => operation !== "price").map(labelOf)
  return callOf(name, [...sources, ...settings])
}

const labelOf = (node: PlanNode): string => {
  const { inputs, lane, name, operation, settings } = node
  switch (operation) {
    case "price":
      return name
    case "constant":
      return String(settings[0])
    case "output": {
      const [indicator] = inputs
      const row: Indicator = indicatorCatalogue[indicator!.name as IndicatorName]
      const outputs = Object.keys(row.outputs)
      const label = indicatorLabel(indicator!)
      return outputs.length === 1 ? label : `${label}.${outputs[settings[0]!]}`
    }
    case "timeframe":
      return `${labelOf(inputs[0]!)} on ${inputs[0]!.lane.timeframe}`
    case "symbol":
      return `${labelOf(inputs[0]!)} of ${inputs[0]!.lane.symbol ?? lane.symbol ?? name}`
    default:
      return callOf(operation, [...inputs.map(labelOf), ...settings])
  }
}

/** The series that a rule compares, each once, without the constants. */
const seriesUnder = (node: PlanNode): ReadonlyArray<PlanNode> => {
  const found = new Map<number, PlanNode>()
  const visit = (one: PlanNode): void => {
    if (one.operation in ruleOperations) one.inputs.forEach(visit)
    else if (one.operation !== "constant") found.set(one.index, one)
  }
  visit(node)
  return [...found.values()]
}

/** The series that the rules of a plan compare. @category descriptions @since 0.1.0 */
export const seriesOfRules = (plan: StrategyPlan): ReadonlyArray<PlanNode> =>
  [plan.enterLong, plan.exitLong, plan.enterShort, plan.exitShort].flatMap((node) =>
    node === null ? [] : seriesUnder(node)
  )

/**
 * Why a signal was given at the last candle, or null where no rule gives it.
 *
 * @category descriptions
 * @since 0.1.0
 */
export const explainSignal = (
  definition: StrategyDefinition,
  parameters: ParameterValues,
  plan: StrategyPlan,
  state: Float64Array,
  signal: keyof Signal
): SignalReason | null => {
  const rule = ruleOf(definition, signal)
  const node = plan[signal]
  if (rule === undefined || node === null) return null
  return {
    rule: describeRule(rule, wordsWith(parameters).text),
    values: Object.fromEntries(
      seriesUnder(node).map((one) => {
        const value = state[one.index]!
        return [labelOf(one), Number.isFinite(value) ? value : null]
      })
    )
  }
}
