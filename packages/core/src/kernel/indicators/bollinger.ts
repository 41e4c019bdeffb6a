/**
 * Bollinger bands: a moving average and bands some population standard deviations away.
 *
 * @since 0.1.0
 */
import { isCancelled, meanStep, stdevStep } from "../rolling.ts"
import { gapAt, windowDeviation } from "../rollingColumns.ts"
import type { ColumnsInto, IndicatorStep } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const bollingerWarmup = (period: number, _deviations: number): number => period - 1

/** Middle, upper and lower band, one value at a time. @category indicators @since 0.1.0 */
export const bollingerStep = ([period, deviations]: ReadonlyArray<number>): IndicatorStep => {
  const mean = meanStep(period!)
  const deviation = stdevStep(period!)
  return (inputs, outputs) => {
    const middle = mean(inputs[0]!)
    const room = deviations! * deviation(inputs[0]!)
    outputs[0] = middle
    outputs[1] = middle + room
    outputs[2] = middle - room
  }
}

/**
 * The bands from `block`, at which the rings of the steps come round, to the next such candle: the
 * sums of a mean and those of a deviation, side by side.
 */
const bandsBlock = (
  [middle, upper, lower]: readonly [Float64Array, Float64Array, Float64Array],
  source: Float64Array,
  block: number,
  end: number,
  period: number,
  deviations: number
): void => {
  const share = 1 / period
  const first = block - period + 1
  let total = 0
  for (let index = first; index <= block; index++) total += source[index]!
  const origin = total / period
  let sum = 0
  let squares = 0
  for (let index = first; index <= block; index++) {
    const deviation = source[index]! - origin
    sum += deviation
    squares += deviation * deviation
  }
  let gathered = squares
  const widest = deviations * Math.sqrt(squares * share)
  middle[block] = origin
  upper[block] = origin + widest
  lower[block] = origin - widest
  const blockEnd = Math.min(block + period, end)
  for (let index = block + 1; index < blockEnd; index++) {
    const value = source[index]!
    const before = source[index - period]!
    const entering = value - origin
    const leaving = before - origin
    const square = entering * entering
    total += value - before
    sum += entering - leaving
    squares += square - leaving * leaving
    gathered += square
    const left = squares - sum * sum * share
    const deviation = isCancelled(left, gathered)
      ? windowDeviation(source, period, index)
      : Math.sqrt(left * share)
    const center = total / period
    const room = deviations * deviation
    middle[index] = center
    upper[index] = center + room
    lower[index] = center - room
  }
}

/** Middle, upper and lower band of a whole series. @category indicators @since 0.1.0 */
export const bollingerColumn = (
  [source]: ReadonlyArray<Float64Array>,
  [period, deviations]: ReadonlyArray<number>,
  into: ColumnsInto = []
): ReadonlyArray<Float64Array> => {
  const values = source!
  const count = period!
  const { length } = values
  const [middle, upper, lower] = into
  const bands = [
    middle ?? new Float64Array(length),
    upper ?? new Float64Array(length),
    lower ?? new Float64Array(length)
  ] as const
  for (let start = 0, end = 0; start < length; start = end + 1) {
    end = gapAt(values, start)
    const full = Math.min(start + count - 1, end)
    for (const band of bands) {
      band.fill(Number.NaN, start, full)
      if (end < length) band[end] = Number.NaN
    }
    for (let block = full; block < end; block += count) {
      bandsBlock(bands, values, block, end, count, deviations!)
    }
  }
  return bands
}
