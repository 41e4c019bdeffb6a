/**
 * Rate of change, in percent.
 *
 * @since 0.1.0
 */
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"
import { earlierStep } from "./momentum.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const rocWarmup = (period: number): number => period

/**
 * Change since `period` candles ago, in percent of the value then, one value at a time.
 *
 * **Gotchas**
 *
 * Where the value then was 0, no percentage describes the change, and the rate is 0.
 *
 * @category indicators
 * @since 0.1.0
 */
export const rocStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const earlier = earlierStep(period!)
  return (inputs, outputs) => {
    const value = inputs[0]!
    const before = earlier(value)
    outputs[0] = before === 0 ? 0 : 100 * (value / before - 1)
  }
}

/** Rate of change of a whole series. @category indicators @since 0.1.0 */
export const rocColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(rocStep(settings), inputs, 1)
