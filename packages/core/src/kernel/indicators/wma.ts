/**
 * Weighted moving average: the newest value counts `period` times, the oldest once.
 *
 * @since 0.1.0
 */
import type { RollingStep } from "../rolling.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const wmaWarmup = (period: number): number => period - 1

/**
 * An average whose weights rise linearly to the newest of the last `period` values.
 *
 * @category indicators
 * @since 0.1.0
 */
export const weightedStep = (period: number): RollingStep => {
  const ring = new Float64Array(period)
  const weights = (period * (period + 1)) / 2
  let at = 0
  let count = 0
  let sum = 0
  let weighted = 0
  return (value) => {
    if (Number.isNaN(value)) {
      count = 0
      at = 0
      sum = 0
      weighted = 0
      return Number.NaN
    }
    const leaving = ring[at]!
    ring[at] = value
    at = at + 1 === period ? 0 : at + 1
    if (count < period) {
      count++
      sum += value
      weighted += count * value
      return count < period ? Number.NaN : weighted / weights
    }
    // All weights fall by one, which takes the old sum away and drops the oldest value.
    weighted += period * value - sum
    sum += value - leaving
    if (at === 0) {
      sum = 0
      weighted = 0
      for (let index = 0; index < period; index++) {
        sum += ring[index]!
        weighted += (index + 1) * ring[index]!
      }
    }
    return weighted / weights
  }
}

/** Weighted average of a series, one value at a time. @category indicators @since 0.1.0 */
export const wmaStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const next = weightedStep(period!)
  return (inputs, outputs) => {
    outputs[0] = next(inputs[0]!)
  }
}

/** Weighted average of a whole series. @category indicators @since 0.1.0 */
export const wmaColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(wmaStep(settings), inputs, 1)
