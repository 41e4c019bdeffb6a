/**
 * The nodes of a plan, candle by candle: each is computed from those before it, in the lane whose
 * candles it goes by.
 *
 * @since 0.1.0
 */
import { indicatorCatalogue } from "../language/Indicator.ts"
import type { IndicatorName } from "../language/Indicator.ts"
import type { Indicator } from "../language/IndicatorRow.ts"
import { makeLaneStep } from "./candleLanes.ts"
import type { StepCandle } from "./candleLanes.ts"
import { operationStep } from "./operationStep.ts"
import { isOfOther, type PlanLane, type PlanNode, type StrategyPlan } from "./StrategyPlan.ts"

/** Computes one node from those before it. */
export type Assign = (candle: StepCandle) => void

const indicatorStep = (
  node: PlanNode,
  values: Float64Array,
  outputs: Array<Float64Array>
): Assign => {
  const row: Indicator = indicatorCatalogue[node.name as IndicatorName]
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
  const { index, operation, settings } = node
  if (operation === "indicator") return indicatorStep(node, values, outputs)
  const slots = node.inputs.map((input) => input.index)
  if (operation === "output") {
    const results = outputs[slots[0]!]!
    const position = settings[0]!
    return () => {
      values[index] = results[position]!
    }
  }
  const step = operationStep(node, slots, values)
  return (candle) => {
    values[index] = step(candle)
  }
}

/** Whether a node is the last value of another lane. */
const isSpread = ({ operation }: PlanNode): boolean =>
  operation === "timeframe" || operation === "symbol"

/** The way of candles to the lanes of a plan. */
export interface PlannedLanes {
  /** Takes the next closed candle of the own market. */
  readonly see: (candle: StepCandle) => void
  /** The markets that rules read besides. */
  readonly others: ReadonlyArray<string>
  /** Takes the next closed candle of one of these. */
  readonly seeOther: (symbol: string, candle: StepCandle) => void
  /** The computation of each node, by its index. */
  readonly assigns: ReadonlyMap<number, Assign>
}

const copyStep = (values: Float64Array, to: number, from: number): Assign => {
  return () => {
    values[to] = values[from]!
  }
}

/**
 * Runs the nodes of every lane: first of the lanes above that close with this candle, then its own.
 */
export const makeLanes = (plan: StrategyPlan, values: Float64Array): PlannedLanes => {
  const outputs: Array<Float64Array> = []
  const assigns = new Map(
    plan.nodes.map((node) => [
      node.index,
      isSpread(node)
        ? copyStep(values, node.index, node.inputs[0]!.index)
        : nodeStep(node, values, outputs)
    ])
  )
  const assignsOf = (lane: PlanLane, areSpreads: boolean): ReadonlyArray<Assign> =>
    plan.nodes
      .filter((node) => node.lane === lane && isSpread(node) === areSpreads)
      .map(({ index }) => assigns.get(index)!)
  const runLane = plan.lanes.map<(candle: StepCandle) => void>(() => () => undefined)
  for (const lane of plan.lanes.toReversed()) {
    const nodes = [...assignsOf(lane, true), ...assignsOf(lane, false)]
    const above = plan.lanes
      .filter((other) => other.parent === lane && !isOfOther(other))
      .map((other) =>
        makeLaneStep(lane.durationMs, other.durationMs, (candle) => runLane[other.index]!(candle))
      )
    runLane[lane.index] = (candle) => {
      for (const follow of above) follow(candle)
      for (const assign of nodes) assign(candle)
    }
  }
  const others = new Map(
    plan.lanes.filter(isOfOther).map(({ index, symbol }) => [symbol!, runLane[index]!])
  )
  return {
    see: runLane[0]!,
    others: [...others.keys()],
    seeOther: (symbol, candle) => others.get(symbol)?.(candle),
    assigns
  }
}
