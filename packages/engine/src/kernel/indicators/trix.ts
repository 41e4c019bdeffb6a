/**
 * Rate of change of an exponential average that was smoothed three times.
 *
 * @since 0.1.0
 */
import { smoothedStep } from "./ema.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/**
 * Index of the first value: one candle after the third average's first.
 *
 * @category indicators
 * @since 0.1.0
 */
export const trixWarmup = (period: number): number => 3 * (period - 1) + 1

/**
 * Change of the third average since the value before, in percent, one value at a time.
 *
 * **Gotchas**
 *
 * Not defined where the average before is 0.
 *
 * @category indicators
 * @since 0.1.0
 */
export const trixStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const weight = 2 / (period! + 1)
  const first = smoothedStep(period!, weight)
  const second = smoothedStep(period!, weight)
  const third = smoothedStep(period!, weight)
  let before = Number.NaN
  return (inputs, outputs) => {
    const average = third(second(first(inputs[0]!)))
    outputs[0] = before === 0 ? Number.NaN : (100 * (average - before)) / before
    before = average
  }
}

/** Rate of change of the third average, for a whole series. @category indicators @since 0.1.0 */
export const trixColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(trixStep(settings), inputs, 1)
