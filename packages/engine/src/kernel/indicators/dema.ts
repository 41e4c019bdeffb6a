/**
 * Double exponential moving average.
 *
 * The second average starts at the first value of the first one, so nothing is made up before it.
 *
 * @since 0.1.0
 */
import { smoothedColumn } from "../rollingColumns.ts"
import { smoothedStep } from "./ema.ts"
import type { IndicatorStep } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const demaWarmup = (period: number): number => 2 * (period - 1)

/**
 * Twice the exponential average less its own average, one value at a time.
 *
 * @category indicators
 * @since 0.1.0
 */
export const demaStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const weight = 2 / (period! + 1)
  const first = smoothedStep(period!, weight)
  const second = smoothedStep(period!, weight)
  return (inputs, outputs) => {
    const once = first(inputs[0]!)
    outputs[0] = 2 * once - second(once)
  }
}

/** Double exponential average of a whole series. @category indicators @since 0.1.0 */
export const demaColumn = (
  [source]: ReadonlyArray<Float64Array>,
  [period]: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => {
  const weight = 2 / (period! + 1)
  const once = smoothedColumn(source!, period!, weight)
  const twice = smoothedColumn(once, period!, weight)
  return [once.map((value, index) => 2 * value - twice[index]!)]
}
