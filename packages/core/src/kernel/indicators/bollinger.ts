/**
 * Bollinger bands: a moving average and bands some population standard deviations away.
 *
 * @since 0.1.0
 */
import { meanStep, stdevStep } from "../rolling.ts"
import { meanColumn, stdevColumn } from "../rollingColumns.ts"
import type { IndicatorStep } from "./IndicatorStep.ts"

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
  [source]: ReadonlyArray<Float64Array>,
  [period, deviations]: ReadonlyArray<number>,
  into: ReadonlyArray<Float64Array> = []
): ReadonlyArray<Float64Array> => {
  const { length } = source!
  const middle = meanColumn(source!, period!, into[0])
  const upper = stdevColumn(source!, period!, into[1])
  const lower = into[2] ?? new Float64Array(length)
  for (let index = 0; index < length; index++) {
    const center = middle[index]!
    const room = deviations! * upper[index]!
    upper[index] = center + room
    lower[index] = center - room
  }
  return [middle, upper, lower]
}
