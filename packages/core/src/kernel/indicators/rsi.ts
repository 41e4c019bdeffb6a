/**
 * Relative strength index, from 0 to 100.
 *
 * @since 0.1.0
 */
import { smoothedStep } from "./ema.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const rsiWarmup = (period: number): number => period

/**
 * Wilder's average gain against average loss, one value at a time.
 *
 * **Gotchas**
 *
 * A series that has not moved at all has the value 0: there is no gain.
 *
 * @category indicators
 * @since 0.1.0
 */
export const rsiStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const gains = smoothedStep(period!, 1 / period!)
  const losses = smoothedStep(period!, 1 / period!)
  let before = Number.NaN
  return (inputs, outputs) => {
    const value = inputs[0]!
    const change = value - before
    before = value
    const gain = gains(Number.isNaN(change) ? Number.NaN : Math.max(change, 0))
    const loss = losses(Number.isNaN(change) ? Number.NaN : Math.max(-change, 0))
    const sum = gain + loss
    outputs[0] = sum === 0 ? 0 : (100 * gain) / sum
  }
}

/** Relative strength index of a whole series. @category indicators @since 0.1.0 */
export const rsiColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(rsiStep(settings), inputs, 1)
