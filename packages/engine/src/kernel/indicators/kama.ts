/**
 * Kaufman's adaptive moving average: fast where the price goes straight, slow where it goes to and
 * fro.
 *
 * @since 0.1.0
 */
import { highestStep, meanStep, shiftStep } from "../rolling.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const kamaWarmup = (period: number, _fast: number, _slow: number): number => period

/**
 * Adaptive average of a series, one value at a time, from the value before its first.
 *
 * **Gotchas**
 *
 * A series that has not moved for `period` values counts as straight.
 *
 * @category indicators
 * @since 0.1.0
 */
export const kamaStep = ([period, fast, slow]: ReadonlyArray<number>): IndicatorStep => {
  const shifted = shiftStep(period!)
  const meanMove = meanStep(period!)
  const largestMove = highestStep(period!)
  const fastest = 2 / (fast! + 1)
  const slowest = 2 / (slow! + 1)
  let before = Number.NaN
  let average = Number.NaN
  return (inputs, outputs) => {
    const value = inputs[0]!
    const move = Math.abs(value - before)
    const distance = Math.abs(value - shifted(value))
    const path = period! * meanMove(move)
    // The rolling sum may keep a rounding error after the last move has left it.
    const still = largestMove(move) === 0
    const efficiency = still ? 1 : Math.min(distance / path, 1)
    const weight = (efficiency * (fastest - slowest) + slowest) ** 2
    if (Number.isNaN(path)) average = Number.NaN
    else {
      if (Number.isNaN(average)) average = before
      average += weight * (value - average)
    }
    before = value
    outputs[0] = average
  }
}

/** Adaptive average of a whole series. @category indicators @since 0.1.0 */
export const kamaColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(kamaStep(settings), inputs, 1)
