/**
 * Momentum: the change over the last candles.
 *
 * @since 0.1.0
 */
import { type RollingStep, shiftStep } from "../rolling.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const momentumWarmup = (period: number): number => period

/**
 * The value of `period` candles ago, where every value since is known.
 *
 * @category indicators
 * @since 0.1.0
 */
export const earlierStep = (period: number): RollingStep => {
  const shifted = shiftStep(period)
  let known = 0
  return (value) => {
    const earlier = shifted(value)
    known = Number.isNaN(value) ? 0 : known + 1
    return known > period ? earlier : Number.NaN
  }
}

/** Change since `period` candles ago, one value at a time. @category indicators @since 0.1.0 */
export const momentumStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const earlier = earlierStep(period!)
  return (inputs, outputs) => {
    outputs[0] = inputs[0]! - earlier(inputs[0]!)
  }
}

/** Change since `period` candles ago, for a whole series. @category indicators @since 0.1.0 */
export const momentumColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(momentumStep(settings), inputs, 1)
