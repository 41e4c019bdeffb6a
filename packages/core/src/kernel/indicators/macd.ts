/**
 * Moving average convergence divergence.
 *
 * Each average starts at its own first value, so the difference is there from the slow one's on, as
 * charts show it.
 *
 * @since 0.1.0
 */
import { smoothedStep } from "./ema.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

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

/** Difference, signal and histogram of a whole series. @category indicators @since 0.1.0 */
export const macdColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(macdStep(settings), inputs, 3)
