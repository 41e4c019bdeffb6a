/**
 * Aroon: how recent the highest high and the lowest low are, from 0 to 100.
 *
 * @since 0.1.0
 */
import type { RollingStep } from "../rolling.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/**
 * Index of the first value; the window is the newest candle and the `period` before it.
 *
 * @category indicators
 * @since 0.1.0
 */
export const aroonWarmup = (period: number): number => period

/** The number of candles since the extreme of the last `period + 1`; of equal ones, the newest. */
const ageStep = (period: number, sign: 1 | -1): RollingStep => {
  const length = period + 1
  const ring = new Float64Array(length)
  let at = 0
  let count = 0
  return (value) => {
    if (Number.isNaN(value)) {
      count = 0
      at = 0
      return Number.NaN
    }
    const newest = at
    ring[newest] = value
    at = at + 1 === length ? 0 : at + 1
    if (count < length) count++
    if (count < length) return Number.NaN
    let extreme = value
    let age = 0
    for (let candidate = 1; candidate < length; candidate++) {
      const other = ring[newest >= candidate ? newest - candidate : newest - candidate + length]!
      if ((other - extreme) * sign > 0) {
        extreme = other
        age = candidate
      }
    }
    return age
  }
}

/** Up and down from high and low, one candle at a time. @category indicators @since 0.1.0 */
export const aroonStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const highAge = ageStep(period!, 1)
  const lowAge = ageStep(period!, -1)
  return (inputs, outputs) => {
    outputs[0] = (100 * (period! - highAge(inputs[0]!))) / period!
    outputs[1] = (100 * (period! - lowAge(inputs[1]!))) / period!
  }
}

/** Up and down of a whole series. @category indicators @since 0.1.0 */
export const aroonColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(aroonStep(settings), inputs, 2)
