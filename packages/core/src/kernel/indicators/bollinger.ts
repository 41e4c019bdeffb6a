/**
 * Bollinger bands: a moving average and bands some population standard deviations away.
 *
 * @since 0.1.0
 */
import { meanStep, stdevStep } from "../rolling.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const bollingerWarmup = (period: number, _deviations: number): number => period - 1

/** Middle, upper and lower band, one value at a time. @category indicators @since 0.1.0 */
export const bollingerStep = ([period, deviations]: ReadonlyArray<number>): IndicatorStep => {
  const mean = meanStep(period!)
  const deviation = stdevStep(period!)
  return (inputs, outputs) => {
    const middle = mean(inputs[0]!)
    const room = deviations! * deviation(inputs[0]!)
    outputs[0] = middle
    outputs[1] = middle + room
    outputs[2] = middle - room
  }
}

/** Middle, upper and lower band of a whole series. @category indicators @since 0.1.0 */
export const bollingerColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(bollingerStep(settings), inputs, 3)
