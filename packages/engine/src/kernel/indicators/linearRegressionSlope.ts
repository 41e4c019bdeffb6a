/**
 * Slope of the straight line that fits the last values best.
 *
 * @since 0.1.0
 */
import { windowStep } from "../rolling.ts"
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
  const middle = (period - 1) / 2
  const squares = (period * (period * period - 1)) / 12
  const slope = windowStep(period, (ring, oldest, newest) => {
    // Measured from the newest value, so that a flat series has a slope of exactly 0.
    let sum = 0
    for (let index = 0, place = oldest; index < period; index++) {
      sum += (index - middle) * (ring[place]! - newest)
      place = place + 1 === period ? 0 : place + 1
    }
    return sum / squares
  })
  return (inputs, outputs) => {
    outputs[0] = slope(inputs[0]!)
  }
}

/** Least-squares slope per candle of a whole series. @category indicators @since 0.1.0 */
export const linearRegressionSlopeColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(linearRegressionSlopeStep(settings), inputs, 1)
