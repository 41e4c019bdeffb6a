/**
 * Population standard deviation of the last values.
 *
 * @since 0.1.0
 */
import { stdevStep } from "../rolling.ts"
import { stdevColumn } from "../rollingColumns.ts"
import type { IndicatorStep } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const standardDeviationWarmup = (period: number): number => period - 1

/**
 * Standard deviation of the last `period` values, one at a time.
 *
 * @category indicators
 * @since 0.1.0
 */
export const standardDeviationStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const next = stdevStep(period!)
  return (inputs, outputs) => {
    outputs[0] = next(inputs[0]!)
  }
}

/** Standard deviation of the last `period` values. @category indicators @since 0.1.0 */
export const standardDeviationColumn = (
  [source]: ReadonlyArray<Float64Array>,
  [period]: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => [stdevColumn(source!, period!)]
