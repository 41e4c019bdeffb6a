/**
 * Keltner channel: an exponential average of the close and bands some average true ranges away.
 *
 * @since 0.1.0
 */
import { atrStep } from "./atr.ts"
import { emaWarmup, smoothedStep } from "./ema.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/**
 * Index of the first middle; the bands also wait for the average true range, whose first value is
 * at `atrPeriod`.
 *
 * @category indicators
 * @since 0.1.0
 */
export const keltnerWarmup = (period: number, _multiple: number, _atrPeriod: number): number =>
  emaWarmup(period)

/**
 * Middle, upper and lower band from high, low and close, one candle at a time.
 *
 * @category indicators
 * @since 0.1.0
 */
export const keltnerStep = ([
  period,
  multiple,
  atrPeriod
]: ReadonlyArray<number>): IndicatorStep => {
  const average = smoothedStep(period!, 2 / (period! + 1))
  const range = atrStep([atrPeriod!])
  return (inputs, outputs) => {
    range(inputs, outputs)
    const room = multiple! * outputs[0]!
    const middle = average(inputs[2]!)
    outputs[0] = middle
    outputs[1] = middle + room
    outputs[2] = middle - room
  }
}

/** Middle, upper and lower band of a whole series. @category indicators @since 0.1.0 */
export const keltnerColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(keltnerStep(settings), inputs, 3)
