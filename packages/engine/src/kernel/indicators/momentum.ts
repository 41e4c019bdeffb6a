/**
 * Momentum: the change over the last candles.
 *
 * @since 0.1.0
 */
import { type RollingStep, shiftStep } from "../rolling.ts"
import type { IndicatorStep } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const momentumWarmup = (period: number): number => period

/**
 * The value of `period` candles ago, where every value since is known.
 *
 * @category indicators
 * @since 0.1.0
 */
export const earlierStep = (period: number): RollingStep => {
  const shifted = shiftStep(period)
  let known = 0
  return (value) => {
    const earlier = shifted(value)
    known = Number.isNaN(value) ? 0 : known + 1
    return known > period ? earlier : Number.NaN
  }
}

/**
 * `change` of each value and the one `period` candles before it; NaN unless every value from there
 * on is known.
 *
 * @category indicators
 * @since 0.1.0
 */
export const changeColumn = (
  source: Float64Array,
  period: number,
  change: (value: number, earlier: number) => number
): Float64Array => {
  const column = new Float64Array(source.length)
  let known = 0
  for (let index = 0; index < source.length; index++) {
    const value = source[index]!
    known = Number.isNaN(value) ? 0 : known + 1
    column[index] = known > period ? change(value, source[index - period]!) : Number.NaN
  }
  return column
}

const difference = (value: number, earlier: number): number => value - earlier

/** Change since `period` candles ago, one value at a time. @category indicators @since 0.1.0 */
export const momentumStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const earlier = earlierStep(period!)
  return (inputs, outputs) => {
    outputs[0] = difference(inputs[0]!, earlier(inputs[0]!))
  }
}

/** Change since `period` candles ago, for a whole series. @category indicators @since 0.1.0 */
export const momentumColumn = (
  [source]: ReadonlyArray<Float64Array>,
  [period]: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => [changeColumn(source!, period!, difference)]
