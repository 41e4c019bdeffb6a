/**
 * The distance of a value above its mean, in population standard deviations.
 *
 * @since 0.1.0
 */
import { highestStep, lowestStep, meanStep, stdevStep } from "../rolling.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const zScoreWarmup = (period: number): number => period - 1

/**
 * Distance from the mean of the last `period` values in standard deviations, one value at a time.
 *
 * **Gotchas**
 *
 * A series that has not moved at all has the value 0: it is at its mean.
 *
 * @category indicators
 * @since 0.1.0
 */
export const zScoreStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const mean = meanStep(period!)
  const deviation = stdevStep(period!)
  const highest = highestStep(period!)
  const lowest = lowestStep(period!)
  return (inputs, outputs) => {
    const value = inputs[0]!
    const score = (value - mean(value)) / deviation(value)
    // The deviation of equal values may be a rounding error rather than 0.
    outputs[0] = highest(value) === lowest(value) ? 0 : score
  }
}

/** Distance from the mean in standard deviations. @category indicators @since 0.1.0 */
export const zScoreColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(zScoreStep(settings), inputs, 1)
