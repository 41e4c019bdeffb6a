/**
 * Exponential moving average.
 *
 * Seeded with the simple mean of the first `period` values, as most charts do.
 *
 * @since 0.1.0
 */
import type { RollingStep } from "../rolling.ts"
import { smoothedColumn } from "../rollingColumns.ts"
import type { ColumnsInto, IndicatorStep } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const emaWarmup = (period: number): number => period - 1

/**
 * An average that gives the newest value the weight `weight`, seeded with the mean of the first
 * `period`.
 *
 * @category indicators
 * @since 0.1.0
 */
export const smoothedStep = (period: number, weight: number): RollingStep => {
  let count = 0
  let sum = 0
  let average = Number.NaN
  return (value) => {
    if (Number.isNaN(value)) {
      count = 0
      sum = 0
      return Number.NaN
    }
    if (count < period) {
      count++
      sum += value
      if (count < period) return Number.NaN
      average = sum / period
      return average
    }
    average += weight * (value - average)
    return average
  }
}

/** Exponential average of a series, one value at a time. @category indicators @since 0.1.0 */
export const emaStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const next = smoothedStep(period!, 2 / (period! + 1))
  return (inputs, outputs) => {
    outputs[0] = next(inputs[0]!)
  }
}

/** Exponential average of a whole series. @category indicators @since 0.1.0 */
export const emaColumn = (
  [source]: ReadonlyArray<Float64Array>,
  [period]: ReadonlyArray<number>,
  [into]: ColumnsInto = []
): ReadonlyArray<Float64Array> => [
  smoothedColumn(source!, period!, 2 / (period! + 1), into ?? undefined)
]
