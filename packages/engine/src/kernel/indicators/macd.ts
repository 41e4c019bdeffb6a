/**
 * Moving average convergence divergence.
 *
 * Each average starts at its own first value, so the difference is there from the slow one's on, as
 * charts show it.
 *
 * @since 0.1.0
 */
import { chunkLength, firstValueAt, gapAt, smoothedColumn } from "../rollingColumns.ts"
import { makeArrayTiles } from "../vectors/arrayTiles.ts"
import { followStretches, stretchesMin } from "../vectors/followStretches.ts"
import { smoothedStep } from "./ema.ts"
import { type ColumnsInto, type IndicatorStep, orEmpty } from "./IndicatorStep.ts"

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

/** The values of the three averages where all of them have begun, and the values up to there. */
const begin = (
  beginning: Float64Array,
  [fast, slow, signal]: readonly [number, number, number],
  [fastWeight, slowWeight, signalWeight]: readonly [number, number, number]
): { readonly outputs: ReadonlyArray<Float64Array>; readonly states: ReadonlyArray<number> } => {
  // Each average begins by itself; from where all three have begun they go on together.
  const fastBeginning = smoothedColumn(beginning, fast, fastWeight)
  const slowBeginning = smoothedColumn(beginning, slow, slowWeight)
  const difference = fastBeginning.map((value, at) => value - slowBeginning[at]!)
  const average = smoothedColumn(difference, signal, signalWeight)
  const histogram = difference.map((value, at) => value - average[at]!)
  const last = beginning.length - 1
  return {
    outputs: [difference, average, histogram],
    states: [fastBeginning, slowBeginning, average].map((column) => column[last] ?? Number.NaN)
  }
}

/** All outputs for a long column without gaps, in stretches side by side; false if it is none. */
const averagesSideBySide = (
  outputs: ReadonlyArray<Float64Array | null>,
  values: Float64Array,
  periods: readonly [number, number, number],
  weights: readonly [number, number, number]
): boolean => {
  const { length } = values
  const start = firstValueAt(values)
  const settled = start + Math.max(periods[0], periods[1]) + periods[2] - 1
  const tiles = length - settled < stretchesMin ? null : makeArrayTiles([values], outputs)
  if (tiles === null) return false
  const { addresses, functions, statesAt } = tiles
  const beginning = begin(values.subarray(start, settled), periods, weights)
  outputs.forEach((output, nth) => {
    output?.fill(Number.NaN, 0, start)
    output?.set(beginning.outputs[nth]!, start)
  })
  return followStretches(tiles, settled, length, beginning.states, (count, apart) =>
    functions.followDifference(
      addresses[0]!,
      addresses[1]!,
      addresses[2]!,
      addresses[3]!,
      apart,
      count,
      ...weights,
      statesAt
    )
  )
}

/** Difference, signal and histogram of a whole series. @category indicators @since 0.1.0 */
export const macdColumn = (
  [source]: ReadonlyArray<Float64Array>,
  [fast, slow, signal]: ReadonlyArray<number>,
  into: ColumnsInto = []
): ReadonlyArray<Float64Array> => {
  const values = source!
  const { length } = values
  const periods = [fast!, slow!, signal!] as const
  const weights = [2 / (fast! + 1), 2 / (slow! + 1), 2 / (signal! + 1)] as const
  const wanted = [0, 1, 2].map((nth) =>
    into[nth] === undefined ? new Float64Array(length) : into[nth]
  )
  if (averagesSideBySide(wanted, values, periods, weights)) return wanted.map(orEmpty)
  const orNew = (nth: number): Float64Array => wanted[nth] ?? new Float64Array(length)
  const outputs = [orNew(0), orNew(1), orNew(2)] as const
  const both = new Float64Array(2)
  const warmup = Math.max(fast!, slow!) + signal! - 1
  for (let start = 0, end = 0; start < length; start = end + 1) {
    end = gapAt(values, start)
    const settled = Math.min(start + warmup, end)
    const beginning = begin(values.subarray(start, settled), periods, weights)
    outputs.forEach((output, nth) => output.set(beginning.outputs[nth]!, start))
    both.set(beginning.states.slice(0, 2))
    for (let from = settled; from < end; from += chunkLength) {
      const until = Math.min(from + chunkLength, end)
      followAverages(outputs, values, from, until, weights, both)
    }
    if (end < length) for (const output of outputs) output[end] = Number.NaN
  }
  return outputs
}
