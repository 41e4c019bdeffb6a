/**
 * Triple exponential moving average.
 *
 * Each average starts at the first value of the one before it, as with the double average.
 *
 * @since 0.1.0
 */
import { smoothedColumn } from "../rollingColumns.ts"
import { smoothedStep } from "./ema.ts"
import type { IndicatorStep } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const temaWarmup = (period: number): number => 3 * (period - 1)

/** Triple exponential average, one value at a time. @category indicators @since 0.1.0 */
export const temaStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const weight = 2 / (period! + 1)
  const first = smoothedStep(period!, weight)
  const second = smoothedStep(period!, weight)
  const third = smoothedStep(period!, weight)
  return (inputs, outputs) => {
    const once = first(inputs[0]!)
    const twice = second(once)
    outputs[0] = 3 * once - 3 * twice + third(twice)
  }
}

/** Triple exponential average of a whole series. @category indicators @since 0.1.0 */
export const temaColumn = (
  [source]: ReadonlyArray<Float64Array>,
  [period]: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => {
  const weight = 2 / (period! + 1)
  const once = smoothedColumn(source!, period!, weight)
  const twice = smoothedColumn(once, period!, weight)
  const thrice = smoothedColumn(twice, period!, weight)
  return [once.map((value, index) => 3 * value - 3 * twice[index]! + thrice[index]!)]
}
