/**
 * Ulcer index: how deep and how long the falls within the last values are, in percent.
 *
 * @since 0.1.0
 */
import { windowStep } from "../rolling.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const ulcerIndexWarmup = (period: number): number => period - 1

/**
 * Root mean square of the falls from the highest value so far within the last `period` values, one
 * value at a time.
 *
 * **Gotchas**
 *
 * Not defined after a fall from 0 or less, which has no percentage.
 *
 * @category indicators
 * @since 0.1.0
 */
export const ulcerIndexStep = ([length]: ReadonlyArray<number>): IndicatorStep => {
  const period = length!
  const index = windowStep(period, (ring, oldest) => {
    let peak = Number.NEGATIVE_INFINITY
    let squares = 0
    for (let nth = 0, place = oldest; nth < period; nth++) {
      const current = ring[place]!
      if (current >= peak) peak = current
      else squares += peak > 0 ? ((peak - current) / peak) ** 2 : Number.NaN
      place = place + 1 === period ? 0 : place + 1
    }
    return 100 * Math.sqrt(squares / period)
  })
  return (inputs, outputs) => {
    outputs[0] = index(inputs[0]!)
  }
}

/** Ulcer index of a whole series. @category indicators @since 0.1.0 */
export const ulcerIndexColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(ulcerIndexStep(settings), inputs, 1)
