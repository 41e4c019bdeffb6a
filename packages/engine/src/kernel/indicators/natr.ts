/**
 * Normalised average true range: Wilder's average true range in percent of the close.
 *
 * @since 0.1.0
 */
import { atrStep, atrWarmup } from "./atr.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/**
 * Index of the first value; the first candle has no true range.
 *
 * @category indicators
 * @since 0.1.0
 */
export const natrWarmup = (period: number): number => atrWarmup(period)

/**
 * Average true range in percent, from high, low and close, one candle at a time.
 *
 * @category indicators
 * @since 0.1.0
 */
export const natrStep = (settings: ReadonlyArray<number>): IndicatorStep => {
  const range = atrStep(settings)
  return (inputs, outputs) => {
    range(inputs, outputs)
    outputs[0] = (100 * outputs[0]!) / inputs[2]!
  }
}

/** Average true range in percent of a whole series. @category indicators @since 0.1.0 */
export const natrColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(natrStep(settings), inputs, 1)
