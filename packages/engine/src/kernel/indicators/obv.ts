/**
 * On-balance volume: the volume of rising candles less the volume of falling ones.
 *
 * @since 0.1.0
 */
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const obvWarmup = (): number => 0

/**
 * On-balance volume from close and volume, one candle at a time. It starts at the first volume, and
 * an unchanged close leaves it as it is.
 *
 * **Gotchas**
 *
 * Where it starts depends on the first candle, so only its changes mean anything.
 *
 * @category indicators
 * @since 0.1.0
 */
export const obvStep = (_settings: ReadonlyArray<number>): IndicatorStep => {
  let before = Number.NaN
  let balance = Number.NaN
  return (inputs, outputs) => {
    const close = inputs[0]!
    const volume = inputs[1]!
    if (Number.isNaN(close) || Number.isNaN(volume)) balance = Number.NaN
    else if (Number.isNaN(balance)) balance = volume
    else if (close > before) balance += volume
    else if (close < before) balance -= volume
    before = close
    outputs[0] = balance
  }
}

/** On-balance volume of a whole series. @category indicators @since 0.1.0 */
export const obvColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(obvStep(settings), inputs, 1)
