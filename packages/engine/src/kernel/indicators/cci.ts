/**
 * Commodity channel index: how far the typical price is from its mean, measured in mean deviations.
 *
 * @since 0.1.0
 */
import { type RollingStep, windowStep } from "../rolling.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const cciWarmup = (period: number): number => period - 1

/** The newest value's distance from the mean, in mean absolute deviations about that mean. */
const deviationsStep = (period: number): RollingStep =>
  windowStep(period, (ring, _, newest) => {
    // Everything is taken relative to the newest value, so that equal prices deviate by exactly 0.
    let sum = 0
    for (let index = 0; index < period; index++) sum += ring[index]! - newest
    const mean = sum / period
    let deviations = 0
    for (let index = 0; index < period; index++) {
      deviations += Math.abs(ring[index]! - newest - mean)
    }
    return deviations === 0 ? 0 : (0 - mean) / (deviations / period)
  })

/**
 * Commodity channel index from high, low and close, one candle at a time.
 *
 * **Gotchas**
 *
 * Where the typical price has not moved at all within the period, the index is 0.
 *
 * @category indicators
 * @since 0.1.0
 */
export const cciStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const deviations = deviationsStep(period!)
  return (inputs, outputs) => {
    // Lambert's constant, which keeps most values between -100 and 100.
    outputs[0] = deviations((inputs[0]! + inputs[1]! + inputs[2]!) / 3) / 0.015
  }
}

/** Commodity channel index of a whole series. @category indicators @since 0.1.0 */
export const cciColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(cciStep(settings), inputs, 1)
