/**
 * Slope of the straight line that fits the last values best.
 *
 * @since 0.1.0
 */
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const linearRegressionSlopeWarmup = (period: number): number => period - 1

/**
 * Least-squares slope per candle over the last `period` values, one value at a time.
 *
 * @category indicators
 * @since 0.1.0
 */
export const linearRegressionSlopeStep = ([length]: ReadonlyArray<number>): IndicatorStep => {
  const period = length!
  const ring = new Float64Array(period)
  const middle = (period - 1) / 2
  const squares = (period * (period * period - 1)) / 12
  let at = 0
  let count = 0
  return (inputs, outputs) => {
    const value = inputs[0]!
    if (Number.isNaN(value)) {
      count = 0
      at = 0
      outputs[0] = Number.NaN
      return
    }
    ring[at] = value
    at = at + 1 === period ? 0 : at + 1
    if (count < period) count++
    if (count < period) {
      outputs[0] = Number.NaN
      return
    }
    // Measured from the newest value, so that a flat series has a slope of exactly 0.
    let sum = 0
    for (let index = 0, place = at; index < period; index++) {
      sum += (index - middle) * (ring[place]! - value)
      place = place + 1 === period ? 0 : place + 1
    }
    outputs[0] = sum / squares
  }
}

/** Least-squares slope per candle of a whole series. @category indicators @since 0.1.0 */
export const linearRegressionSlopeColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(linearRegressionSlopeStep(settings), inputs, 1)
