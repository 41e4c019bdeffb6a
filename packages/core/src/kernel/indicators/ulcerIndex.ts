/**
 * Ulcer index: how deep and how long the falls within the last values are, in percent.
 *
 * @since 0.1.0
 */
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
  const ring = new Float64Array(period)
  let at = 0
  let count = 0
  return (inputs, outputs) => {
    const value = inputs[0]!
    if (Number.isNaN(value)) {
      count = 0
      at = 0
      outputs[0] = Number.NaN
      return
    }
    ring[at] = value
    at = at + 1 === period ? 0 : at + 1
    if (count < period) count++
    if (count < period) {
      outputs[0] = Number.NaN
      return
    }
    let peak = Number.NEGATIVE_INFINITY
    let squares = 0
    for (let index = 0, place = at; index < period; index++) {
      const current = ring[place]!
      if (current >= peak) peak = current
      else squares += peak > 0 ? ((peak - current) / peak) ** 2 : Number.NaN
      place = place + 1 === period ? 0 : place + 1
    }
    outputs[0] = 100 * Math.sqrt(squares / period)
  }
}

/** Ulcer index of a whole series. @category indicators @since 0.1.0 */
export const ulcerIndexColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(ulcerIndexStep(settings), inputs, 1)
