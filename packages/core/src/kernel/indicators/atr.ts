/**
 * Average true range: Wilder's average of how far the price went, gaps included.
 *
 * @since 0.1.0
 */
import { smoothedStep } from "./ema.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/**
 * Index of the first value; the first candle has no true range.
 *
 * @category indicators
 * @since 0.1.0
 */
export const atrWarmup = (period: number): number => period

/**
 * Average true range from high, low and close, one candle at a time.
 *
 * @category indicators
 * @since 0.1.0
 */
export const atrStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const average = smoothedStep(period!, 1 / period!)
  let before = Number.NaN
  return (inputs, outputs) => {
    const high = inputs[0]!
    const low = inputs[1]!
    const range = Math.max(high - low, Math.abs(high - before), Math.abs(low - before))
    before = inputs[2]!
    outputs[0] = average(range)
  }
}

/** Average true range of a whole series. @category indicators @since 0.1.0 */
export const atrColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(atrStep(settings), inputs, 1)
