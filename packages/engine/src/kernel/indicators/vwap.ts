/**
 * Volume-weighted average price of the session, which is the UTC day.
 *
 * @since 0.1.0
 */
import { dayOf } from "../calendar.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const vwapWarmup = (): number => 0

/**
 * Mean of the session's typical prices weighted with their volumes, from time, high, low, close and
 * volume, one candle at a time.
 *
 * **Gotchas**
 *
 * There is no value as long as nothing was traded in the session.
 *
 * @category indicators
 * @since 0.1.0
 */
export const vwapStep = (_settings: ReadonlyArray<number>): IndicatorStep => {
  let session = Number.NaN
  let notional = 0
  let volume = 0
  return (inputs, outputs) => {
    const today = dayOf(inputs[0]!)
    const typical = (inputs[1]! + inputs[2]! + inputs[3]!) / 3
    if (today !== session) {
      session = today
      notional = 0
      volume = 0
    }
    notional += typical * inputs[4]!
    volume += inputs[4]!
    outputs[0] = volume === 0 || Number.isNaN(today) ? Number.NaN : notional / volume
    // An unknown price or volume makes the sums unknown, so they start again with the next candle.
    if (Number.isNaN(notional)) session = Number.NaN
  }
}

/** Volume-weighted average price of a whole series. @category indicators @since 0.1.0 */
export const vwapColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(vwapStep(settings), inputs, 1)
