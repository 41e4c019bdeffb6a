/**
 * Average directional index: how strong the trend is, whichever way it goes, and Wilder's two
 * directional indicators, which say which way.
 *
 * Wilder's averages are seeded with the mean of the first `period` candles that have a movement, as
 * most charts do.
 *
 * @since 0.1.0
 */
import { smoothedStep } from "./ema.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/**
 * Index of the first strength; the directional indicators are there from `period` on.
 *
 * @category indicators
 * @since 0.1.0
 */
export const adxWarmup = (period: number): number => 2 * period - 1

/**
 * Strength, upward and downward indicator from high, low and close, one candle at a time.
 *
 * **Gotchas**
 *
 * A market that has not moved at all has the value 0 in all three: there is no direction.
 *
 * @category indicators
 * @since 0.1.0
 */
export const adxStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const ranges = smoothedStep(period!, 1 / period!)
  const rises = smoothedStep(period!, 1 / period!)
  const falls = smoothedStep(period!, 1 / period!)
  const strengths = smoothedStep(period!, 1 / period!)
  let highBefore = Number.NaN
  let lowBefore = Number.NaN
  let closeBefore = Number.NaN
  return (inputs, outputs) => {
    const high = inputs[0]!
    const low = inputs[1]!
    const up = high - highBefore
    const down = lowBefore - low
    // One missing price makes the candle's movement unknown for all of the averages.
    const known = !Number.isNaN(up + down + closeBefore)
    const range = ranges(
      known
        ? Math.max(high - low, Math.abs(high - closeBefore), Math.abs(low - closeBefore))
        : Number.NaN
    )
    const rise = rises(known ? (up > down && up > 0 ? up : 0) : Number.NaN)
    const fall = falls(known ? (down > up && down > 0 ? down : 0) : Number.NaN)
    highBefore = high
    lowBefore = low
    closeBefore = inputs[2]!
    const sum = rise + fall
    outputs[0] = strengths(sum === 0 ? 0 : (100 * Math.abs(rise - fall)) / sum)
    outputs[1] = range === 0 ? 0 : (100 * rise) / range
    outputs[2] = range === 0 ? 0 : (100 * fall) / range
  }
}

/** Strength and both directional indicators of a whole series. @category indicators @since 0.1.0 */
export const adxColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(adxStep(settings), inputs, 3)
