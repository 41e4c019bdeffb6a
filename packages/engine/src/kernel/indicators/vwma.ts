/**
 * Volume-weighted moving average.
 *
 * @since 0.1.0
 */
import { highestStep, meanStep } from "../rolling.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const vwmaWarmup = (period: number): number => period - 1

/**
 * Average of the last `period` values by volume, one candle at a time.
 *
 * **Gotchas**
 *
 * Not defined while none of these candles has any volume.
 *
 * @category indicators
 * @since 0.1.0
 */
export const vwmaStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const meanTraded = meanStep(period!)
  const meanVolume = meanStep(period!)
  const largestVolume = highestStep(period!)
  return (inputs, outputs) => {
    const volume = inputs[1]!
    const average = meanTraded(inputs[0]! * volume) / meanVolume(volume)
    // The rolling sums may keep a rounding error after the last volume has left them.
    outputs[0] = largestVolume(volume) === 0 ? Number.NaN : average
  }
}

/** Average of the last `period` values by volume. @category indicators @since 0.1.0 */
export const vwmaColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(vwmaStep(settings), inputs, 1)
