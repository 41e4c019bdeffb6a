/**
 * Vortex indicator: upward and downward movement, each measured in true ranges.
 *
 * @since 0.1.0
 */
import { sumStep } from "../rolling.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/**
 * Index of the first value; the first candle has no movement.
 *
 * @category indicators
 * @since 0.1.0
 */
export const vortexWarmup = (period: number): number => period

/** A movement in ranges; where there was no range, 0, unless the movement is not there either. */
const measured = (movement: number, range: number): number =>
  range === 0 && !Number.isNaN(movement) ? 0 : movement / range

/**
 * Plus and minus from high, low and close, one candle at a time.
 *
 * **Gotchas**
 *
 * Where the price has not moved at all within the period, both are 0.
 *
 * @category indicators
 * @since 0.1.0
 */
export const vortexStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const rises = sumStep(period!)
  const falls = sumStep(period!)
  const ranges = sumStep(period!)
  let highBefore = Number.NaN
  let lowBefore = Number.NaN
  let closeBefore = Number.NaN
  return (inputs, outputs) => {
    const high = inputs[0]!
    const low = inputs[1]!
    const rise = rises(Math.abs(high - lowBefore))
    const fall = falls(Math.abs(low - highBefore))
    const range = ranges(
      Math.max(high - low, Math.abs(high - closeBefore), Math.abs(low - closeBefore))
    )
    highBefore = high
    lowBefore = low
    closeBefore = inputs[2]!
    outputs[0] = measured(rise, range)
    outputs[1] = measured(fall, range)
  }
}

/** Plus and minus of a whole series. @category indicators @since 0.1.0 */
export const vortexColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(vortexStep(settings), inputs, 2)
