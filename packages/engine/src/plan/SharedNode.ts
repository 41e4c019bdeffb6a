/**
 * A node that several plans read: its values at the last candles, and the function that computes
 * the next one.
 *
 * A node of a plan reads its inputs from the memory of that plan. A shared node has the values of
 * its inputs beside it. Nodes come and go one by one, and each goes on with its own memory.
 *
 * @since 0.1.0
 */
import { indicatorCatalogue } from "../language/Indicator.ts"
import type { IndicatorName } from "../language/Indicator.ts"
import type { Indicator } from "../language/IndicatorRow.ts"
import type { StepCandle } from "./candleLanes.ts"
import { operationStep } from "./operationStep.ts"
import type { PlanNode } from "./StrategyPlan.ts"

/** At how many of the newest candles values are at hand; a power of two. */
export const tapeLength = 256

const tapeMask = tapeLength - 1

/** Computes the value at the next candle, from the values of the inputs. */
type Compute = (candle: StepCandle, inputs: ReadonlyArray<SharedNode>) => number

/** One node of a series, with as many readers as `readers` says. @category models @since 0.1.0 */
export class SharedNode {
  readonly key: string
  /** The key of its inputs; nodes of equal keys may take their places. */
  inputs: ReadonlyArray<SharedNode>
  /** The last value; an indicator of several outputs has none but `results`. */
  value = Number.NaN
  readonly results: Float64Array
  readers = 0
  readonly #tape: Float64Array | null
  readonly #compute: Compute

  constructor(key: string, node: PlanNode, inputs: ReadonlyArray<SharedNode>, hasTape: boolean) {
    this.key = key
    this.inputs = inputs
    const isIndicator = node.operation === "indicator"
    this.results = new Float64Array(isIndicator ? outputCount(node) : 0)
    this.#tape = hasTape && !isIndicator ? new Float64Array(tapeLength).fill(Number.NaN) : null
    this.#compute = computeOf(node, this.results)
  }

  /** Takes the next candle of its lane. */
  run(candle: StepCandle): void {
    this.value = this.#compute(candle, this.inputs)
  }

  /** Keeps the last value as that at a candle of the series. */
  keep(index: number): void {
    if (this.#tape !== null) this.#tape[index & tapeMask] = this.value
  }

  /** The value at one of the newest candles. */
  at(index: number): number {
    return this.#tape![index & tapeMask]!
  }
}

const outputCount = ({ name }: PlanNode): number => {
  const row: Indicator = indicatorCatalogue[name as IndicatorName]
  return Object.keys(row.outputs).length
}

const computeOf = (node: PlanNode, results: Float64Array): Compute => {
  const { inputs, name, operation, settings } = node
  if (operation === "output") {
    const position = settings[0]!
    return (_candle, [whole]) => whole!.results[position]!
  }
  if (operation === "timeframe") return (_candle, [inner]) => inner!.value
  const values = new Float64Array(inputs.length)
  const take = (from: ReadonlyArray<SharedNode>): void => {
    for (let nth = 0; nth < values.length; nth += 1) values[nth] = from[nth]!.value
  }
  if (operation === "indicator") {
    const row: Indicator = indicatorCatalogue[name as IndicatorName]
    const step = row.step(settings)
    return (_candle, from) => {
      take(from)
      step(values, results)
      return Number.NaN
    }
  }
  const slots = inputs.map((_, nth) => nth)
  const step = operationStep(node, slots, values)
  return (candle, from) => {
    take(from)
    return step(candle)
  }
}
