/**
 * A strategy to the live bot: one closed candle in, what to decide on out.
 *
 * The step runs the same plan as the columns and gives the same numbers to the bit; a candle costs
 * as many small
 * function calls as the plan has nodes, and no memory but the answer.
 *
 * @since 0.1.0
 */
import { indicators } from "../language/Indicator.ts"
import type { IndicatorName } from "../language/Indicator.ts"
import type { Indicator } from "../language/IndicatorRow.ts"
import type { ParameterValues } from "../language/Parameter.ts"
import type { StrategyDefinition } from "../language/StrategyDefinition.ts"
import type { BookView } from "../kernel/accountView.ts"
import type { CodeView } from "../kernel/codeView.ts"
import {
  type CandleDecision,
  type EntryLevels,
  noLevels,
  type Signal,
  type TradingPlan
} from "../kernel/decide.ts"
import type { LadderPlan } from "../kernel/ladder/LadderPlan.ts"
import type { LadderSignals } from "../kernel/ladder/LadderView.ts"
import { makeLaneStep } from "./candleLanes.ts"
import type { StepCandle } from "./candleLanes.ts"
import { ruleOperations } from "./ruleOperations.ts"
import type { RuleOperation } from "./ruleOperations.ts"
import { seriesOperations } from "./seriesOperations.ts"
import type { NodeStep, SeriesOperation } from "./seriesOperations.ts"
import { planStrategy } from "./planStrategy.ts"
import { isOfOther, type PlannedLadder, type PlanNode, type StrategyPlan } from "./StrategyPlan.ts"
import { levelsReader, toTradingPlan } from "./tradingPlan.ts"

/** A strategy as it follows one market candle by candle. @category models @since 0.1.0 */
export interface SignalStep {
  readonly plan: TradingPlan
  /** Positions that are built and sold in parts, or null; it tells of the last candle. */
  readonly ladder: StepLadder | null
  /** Takes the next closed candle, of which nothing is to be decided. */
  readonly see: (candle: StepCandle) => void
  /** The markets that rules read besides. */
  readonly others: ReadonlyArray<string>
  /** The others among them whose candles so far the steps of these markets bring. */
  readonly shared?: ReadonlyArray<string> | undefined
  /** Takes the next closed candle of one of these, before the own one of the same time. */
  readonly seeOther: (symbol: string, candle: StepCandle) => void
  /**
   * Takes the next closed candle; candles come in time order. Code is told what the book and the
   * account hold; nothing, where these are left out.
   */
  readonly next: (candle: StepCandle, book?: BookView, view?: CodeView) => CandleDecision
}

/** A ladder, and the signals that it asks of the last candle. @category models @since 0.1.0 */
export interface StepLadder extends Pick<LadderSignals, "rule" | "series"> {
  readonly plan: LadderPlan
}

/** Computes one node from those before it. */
type Assign = (candle: StepCandle) => void

const indicatorStep = (
  node: PlanNode,
  values: Float64Array,
  outputs: Array<Float64Array>
): Assign => {
  const row: Indicator = indicators[node.name as IndicatorName]
  const step = row.step(node.settings)
  const slots = node.inputs.map((input) => input.index)
  const inputs = new Float64Array(slots.length)
  const results = new Float64Array(Object.keys(row.outputs).length)
  outputs[node.index] = results
  return () => {
    for (let index = 0; index < slots.length; index += 1) inputs[index] = values[slots[index]!]!
    step(inputs, results)
  }
}

const nodeStep = (node: PlanNode, values: Float64Array, outputs: Array<Float64Array>): Assign => {
  const { index, operation, settings, name } = node
  if (operation === "indicator") return indicatorStep(node, values, outputs)
  const slots = node.inputs.map((input) => input.index)
  if (operation === "output") {
    const results = outputs[slots[0]!]!
    const position = settings[0]!
    return () => {
      values[index] = results[position]!
    }
  }
  const known: SeriesOperation | RuleOperation =
    operation in seriesOperations
      ? seriesOperations[operation as keyof typeof seriesOperations]
      : ruleOperations[operation as keyof typeof ruleOperations]
  const step: NodeStep = known.step(slots, settings, values, name)
  return (candle) => {
    values[index] = step(candle)
  }
}

/** Whether a node is the last value of another lane. */
const isSpread = ({ operation }: PlanNode): boolean =>
  operation === "timeframe" || operation === "symbol"

/** How candles reach the lanes of a plan. */
type LaneRunners = Pick<SignalStep, "see" | "others" | "seeOther">

/**
 * Runs the nodes of every lane: first those of the lanes above that close with this candle, then
 * its own.
 */
const makeLanes = (plan: StrategyPlan, values: Float64Array): LaneRunners => {
  const outputs: Array<Float64Array> = []
  const runners = plan.lanes.map((lane) =>
    plan.nodes
      .filter((node) => node.lane === lane && !isSpread(node))
      .map((node) => nodeStep(node, values, outputs))
  )
  const spreads = plan.nodes.filter(isSpread)
  const runLane = plan.lanes.map<(candle: StepCandle) => void>(() => () => undefined)
  for (const lane of plan.lanes.toReversed()) {
    const nodes = runners[lane.index]!
    const above = plan.lanes
      .filter((other) => other.parent === lane && !isOfOther(other))
      .map((other) =>
        makeLaneStep(lane.durationMs, other.durationMs, (candle) => runLane[other.index]!(candle))
      )
    const seen = spreads
      .filter((node) => node.lane === lane)
      .map((node) => [node.index, node.inputs[0]!.index] as const)
    runLane[lane.index] = (candle) => {
      for (const follow of above) follow(candle)
      for (const [to, from] of seen) values[to] = values[from]!
      for (const assign of nodes) assign(candle)
    }
  }
  const others = new Map(
    plan.lanes.filter(isOfOther).map(({ index, symbol }) => [symbol!, runLane[index]!])
  )
  return {
    see: runLane[0]!,
    others: [...others.keys()],
    seeOther: (symbol, candle) => others.get(symbol)?.(candle)
  }
}

/**
 * Makes the step form of a strategy for one market and one parameter set.
 *
 * **Gotchas**
 *
 * The definition must have passed `checkStrategy`, and `values` must have a value for each of its
 * parameters.
 *
 * @category steps
 * @since 0.1.0
 */
export const makeSignalStep = (
  definition: StrategyDefinition,
  values: ParameterValues
): SignalStep => {
  const {
    ladder,
    levels: readLevels,
    others,
    plan,
    see,
    seeOther,
    state
  } = makeLevelStep(definition, values)
  const isTrue = (node: PlanNode | null): boolean => node !== null && state[node.index] === 1
  return {
    plan: toTradingPlan(definition, values),
    ladder,
    see,
    others,
    seeOther,
    next: (candle) => {
      see(candle)
      const signal: Signal = {
        enterLong: isTrue(plan.enterLong),
        exitLong: isTrue(plan.exitLong),
        enterShort: isTrue(plan.enterShort),
        exitShort: isTrue(plan.exitShort)
      }
      const enters = signal.enterLong || signal.enterShort
      return { signal, levels: enters ? readLevels() : noLevels }
    }
  }
}

/** The nodes of a plan, candle by candle, and the levels of an entry at the last one. */
export const makeLevelStep = (definition: StrategyDefinition, values: ParameterValues) => {
  const plan = planStrategy(definition, values)
  const state = new Float64Array(plan.nodes.length).fill(Number.NaN)
  const readLevels = levelsReader(definition, values, plan)
  const read = (node: PlanNode): number => state[node.index]!
  return {
    plan,
    state,
    ...makeLanes(plan, state),
    ladder: plan.ladder && stepLadder(plan.ladder, read, state),
    levels: (): EntryLevels => readLevels(read)
  }
}

const stepLadder = (
  { plan, rules, series }: PlannedLadder,
  read: (node: PlanNode) => number,
  state: Float64Array
): StepLadder => ({
  plan,
  rule: (slot) => state[rules[slot]!.index] === 1,
  series: (slot) => read(series[slot]!)
})
