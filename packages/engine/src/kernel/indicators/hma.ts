/**
 * Hull moving average: a weighted average made faster by its half-length one, then smoothed.
 *
 * @since 0.1.0
 */
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"
import { weightedStep } from "./wma.ts"

const smoothing = (period: number): number => Math.floor(Math.sqrt(period))

/** Index of the first value. @category indicators @since 0.1.0 */
export const hmaWarmup = (period: number): number => period - 1 + smoothing(period) - 1

/**
 * Hull average of a series, one value at a time; half and root of the period are rounded down.
 *
 * @category indicators
 * @since 0.1.0
 */
export const hmaStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const fast = weightedStep(Math.floor(period! / 2))
  const slow = weightedStep(period!)
  const smooth = weightedStep(smoothing(period!))
  return (inputs, outputs) => {
    outputs[0] = smooth(2 * fast(inputs[0]!) - slow(inputs[0]!))
  }
}

/** Hull average of a whole series. @category indicators @since 0.1.0 */
export const hmaColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(hmaStep(settings), inputs, 1)
