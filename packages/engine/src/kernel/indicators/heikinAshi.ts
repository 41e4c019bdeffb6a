/**
 * Heikin-Ashi: candles averaged with those before them, so that a trend shows as a row of one
 * colour.
 *
 * The first open is the middle of the first candle's open and close.
 *
 * @since 0.1.0
 */
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const heikinAshiWarmup = (): number => 0

/**
 * Averaged open, high, low and close of candles, one candle at a time.
 *
 * **Gotchas**
 *
 * These are no prices at which anything could be traded.
 *
 * @category indicators
 * @since 0.1.0
 */
export const heikinAshiStep = (_settings: ReadonlyArray<number>): IndicatorStep => {
  let before = Number.NaN
  return (inputs, outputs) => {
    const high = inputs[1]!
    const low = inputs[2]!
    const close = (inputs[0]! + high + low + inputs[3]!) / 4
    if (Number.isNaN(before)) before = (inputs[0]! + inputs[3]!) / 2
    const open = Number.isNaN(close) ? Number.NaN : before
    outputs[0] = open
    outputs[1] = Math.max(high, open, close)
    outputs[2] = Math.min(low, open, close)
    outputs[3] = close
    before = (open + close) / 2
  }
}

/** Averaged candles of a whole series. @category indicators @since 0.1.0 */
export const heikinAshiColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(heikinAshiStep(settings), inputs, 4)
