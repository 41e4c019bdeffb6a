/**
 * Chaikin money flow: volume weighted by where the close lies within its candle, from -1 to 1.
 *
 * @since 0.1.0
 */
import { sumStep } from "../rolling.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const cmfWarmup = (period: number): number => period - 1

/**
 * Weighted volume as a part of all volume, from high, low, close and volume, one candle at a time.
 *
 * **Gotchas**
 *
 * A candle without a range has the weight 0; where there was no volume within the period, the flow
 * is 0.
 *
 * @category indicators
 * @since 0.1.0
 */
export const cmfStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const flows = sumStep(period!)
  const volumes = sumStep(period!)
  return (inputs, outputs) => {
    const high = inputs[0]!
    const low = inputs[1]!
    const close = inputs[2]!
    const range = high - low
    const weight = range === 0 && !Number.isNaN(close) ? 0 : (close - low - (high - close)) / range
    const flow = flows(weight * inputs[3]!)
    const volume = volumes(inputs[3]!)
    // Without volume the flow is itself 0, or not there.
    outputs[0] = volume === 0 ? flow : flow / volume
  }
}

/** Chaikin money flow of a whole series. @category indicators @since 0.1.0 */
export const cmfColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(cmfStep(settings), inputs, 1)
