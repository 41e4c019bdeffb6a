/**
 * Williams %R: how far the close is below the highest high, from -100 to 0.
 *
 * @since 0.1.0
 */
import { highestStep, lowestStep } from "../rolling.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const williamsRWarmup = (period: number): number => period - 1

/**
 * Williams %R from high, low and close, one candle at a time.
 *
 * **Gotchas**
 *
 * Where the price has not moved at all within the period, the value is 0.
 *
 * @category indicators
 * @since 0.1.0
 */
export const williamsRStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const highest = highestStep(period!)
  const lowest = lowestStep(period!)
  return (inputs, outputs) => {
    const upper = highest(inputs[0]!)
    const room = upper - lowest(inputs[1]!)
    const below = inputs[2]! - upper
    outputs[0] = room === 0 && !Number.isNaN(below) ? 0 : 100 * (below / room)
  }
}

/** Williams %R of a whole series. @category indicators @since 0.1.0 */
export const williamsRColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(williamsRStep(settings), inputs, 1)
