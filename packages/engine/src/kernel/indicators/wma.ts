/**
 * Weighted moving average: the newest value counts `period` times, the oldest once.
 *
 * @since 0.1.0
 */
import type { RollingStep } from "../rolling.ts"
import { scaleWith, toWhole, wholeMax } from "../wholes.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const wmaWarmup = (period: number): number => period - 1

/**
 * An average whose weights rise linearly to the newest of the last `period` values: on paper, as
 * long as they are decimals (`wholes.ts`).
 *
 * @category indicators
 * @since 0.1.0
 */
export const weightedStep = (period: number): RollingStep => {
  const ring = new Float64Array(period)
  const weights = (period * (period + 1)) / 2
  const max = wholeMax(weights)
  let at = 0
  let count = 0
  let sum = 0
  let weighted = 0
  /** The factor that makes the values whole; 0 where doubles are summed. */
  let scale = 1
  let most = 0

  /** Sums of doubles, from the oldest on. */
  const anew = (): void => {
    sum = 0
    weighted = 0
    const oldest = count === period ? at : 0
    for (let nth = 0; nth < count; nth++) {
      const slot = oldest + nth
      const value = ring[slot < period ? slot : slot - period]!
      sum += value
      weighted += (nth + 1) * value
    }
  }

  /** Carries sums on by a value, `leaving` being 0 while the ring fills. */
  const carry = (value: number, leaving: number, isFull: boolean): void => {
    // All weights fall by one, which takes the old sum away and drops the oldest value.
    weighted += isFull ? period * value - sum : count * value
    sum += value - leaving
  }

  return (value) => {
    if (Number.isNaN(value)) {
      count = 0
      at = 0
      sum = 0
      weighted = 0
      scale = 1
      most = 0
      return Number.NaN
    }
    const isFull = count === period
    const leaving = isFull ? ring[at]! : 0
    ring[at] = value
    at = at + 1 === period ? 0 : at + 1
    if (!isFull) count++
    if (scale > 0) {
      most = Math.max(most, Math.abs(value))
      const next = scaleWith(value, scale, most, max)
      if (next > 0) {
        sum *= next / scale
        weighted *= next / scale
        scale = next
        carry(toWhole(value, scale), toWhole(leaving, scale), isFull)
        return count < period ? Number.NaN : weighted / (weights * scale)
      }
      scale = 0
      anew()
    } else if (isFull && at === 0) anew()
    else carry(value, leaving, isFull)
    return count < period ? Number.NaN : weighted / weights
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
