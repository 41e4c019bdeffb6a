/**
 * Donchian channel: the highest high and the lowest low of the last candles, the newest included.
 *
 * @since 0.1.0
 */
import { highestStep, lowestStep } from "../rolling.ts"
import { highestColumn, lowestColumn } from "../rollingColumns.ts"
import type { IndicatorStep } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const donchianWarmup = (period: number): number => period - 1

/**
 * Upper, middle and lower line from high and low, one candle at a time.
 *
 * @category indicators
 * @since 0.1.0
 */
export const donchianStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const highest = highestStep(period!)
  const lowest = lowestStep(period!)
  return (inputs, outputs) => {
    const upper = highest(inputs[0]!)
    const lower = lowest(inputs[1]!)
    outputs[0] = upper
    outputs[1] = (upper + lower) / 2
    outputs[2] = lower
  }
}

/** Upper, middle and lower line of a whole series. @category indicators @since 0.1.0 */
export const donchianColumn = (
  [high, low]: ReadonlyArray<Float64Array>,
  [period]: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => {
  const upper = highestColumn(high!, period!)
  const lower = lowestColumn(low!, period!)
  return [upper, upper.map((value, index) => (value + lower[index]!) / 2), lower]
}
