/**
 * Moving average convergence divergence.
 *
 * Each average starts at its own first value, so the difference is there from the slow one's on, as
 * charts show it.
 *
 * @since 0.1.0
 */
import { chunkLength, gapAt, smoothedColumn } from "../rollingColumns.ts"
import { smoothedStep } from "./ema.ts"
import type { ColumnsInto, IndicatorStep } from "./IndicatorStep.ts"

/**
 * Index of the first difference; the signal follows `signal - 1` candles later.
 *
 * @category indicators
 * @since 0.1.0
 */
export const macdWarmup = (fast: number, slow: number, _signal: number): number =>
  Math.max(fast, slow) - 1

/** Difference, signal and histogram, one value at a time. @category indicators @since 0.1.0 */
export const macdStep = ([fast, slow, signal]: ReadonlyArray<number>): IndicatorStep => {
  const fastAverage = smoothedStep(fast!, 2 / (fast! + 1))
  const slowAverage = smoothedStep(slow!, 2 / (slow! + 1))
  const signalAverage = smoothedStep(signal!, 2 / (signal! + 1))
  return (inputs, outputs) => {
    const value = inputs[0]!
    const difference = fastAverage(value) - slowAverage(value)
    const average = signalAverage(difference)
    outputs[0] = difference
    outputs[1] = average
    outputs[2] = difference - average
  }
}

/** Goes on from the fast and the slow average, in `both`, and the signal before. */
const followAverages = (
  [differences, averages, histogram]: readonly [Float64Array, Float64Array, Float64Array],
  values: Float64Array,
  from: number,
  until: number,
  [fastWeight, slowWeight, signalWeight]: readonly [number, number, number],
  both: Float64Array
): void => {
  let fastAverage = both[0]!
  let slowAverage = both[1]!
  let average = averages[from - 1]!
  for (let index = from; index < until; index++) {
    const value = values[index]!
    fastAverage += fastWeight * (value - fastAverage)
    slowAverage += slowWeight * (value - slowAverage)
    const apart = fastAverage - slowAverage
    average += signalWeight * (apart - average)
    differences[index] = apart
    averages[index] = average
    histogram[index] = apart - average
  }
  both[0] = fastAverage
  both[1] = slowAverage
}

/** Difference, signal and histogram of a whole series. @category indicators @since 0.1.0 */
export const macdColumn = (
  [source]: ReadonlyArray<Float64Array>,
  [fast, slow, signal]: ReadonlyArray<number>,
  into: ColumnsInto = []
): ReadonlyArray<Float64Array> => {
  const values = source!
  const { length } = values
  const differences = into[0] ?? new Float64Array(length)
  const averages = into[1] ?? new Float64Array(length)
  const histogram = into[2] ?? new Float64Array(length)
  const outputs = [differences, averages, histogram] as const
  const weights = [2 / (fast! + 1), 2 / (slow! + 1), 2 / (signal! + 1)] as const
  const [fastWeight, slowWeight, signalWeight] = weights
  const both = new Float64Array(2)
  const warmup = Math.max(fast!, slow!) + signal! - 1
  for (let start = 0, end = 0; start < length; start = end + 1) {
    end = gapAt(values, start)
    const settled = Math.min(start + warmup, end)
    // Each average begins by itself; from where all three have begun they go on together.
    const beginning = values.subarray(start, settled)
    const fastBeginning = smoothedColumn(beginning, fast!, fastWeight)
    const slowBeginning = smoothedColumn(beginning, slow!, slowWeight)
    const difference = fastBeginning.map((value, at) => value - slowBeginning[at]!)
    const signalBeginning = smoothedColumn(difference, signal!, signalWeight)
    for (let at = 0; at < difference.length; at++) {
      differences[start + at] = difference[at]!
      averages[start + at] = signalBeginning[at]!
      histogram[start + at] = difference[at]! - signalBeginning[at]!
    }
    both[0] = fastBeginning[warmup - 1] ?? Number.NaN
    both[1] = slowBeginning[warmup - 1] ?? Number.NaN
    for (let from = settled; from < end; from += chunkLength) {
      const until = Math.min(from + chunkLength, end)
      followAverages(outputs, values, from, until, weights, both)
    }
    if (end < length) {
      differences[end] = Number.NaN
      averages[end] = Number.NaN
      histogram[end] = Number.NaN
    }
  }
  return outputs
}
