/**
 * Rate of change, in percent.
 *
 * @since 0.1.0
 */
import type { IndicatorStep } from "./IndicatorStep.ts"
import { changeColumn, earlierStep } from "./momentum.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const rocWarmup = (period: number): number => period

const rate = (value: number, earlier: number): number =>
  earlier === 0 ? 0 : 100 * (value / earlier - 1)

/**
 * Change since `period` candles ago, in percent of the value then, one value at a time.
 *
 * **Gotchas**
 *
 * Where the value then was 0, no percentage describes the change, and the rate is 0.
 *
 * @category indicators
 * @since 0.1.0
 */
export const rocStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const earlier = earlierStep(period!)
  return (inputs, outputs) => {
    outputs[0] = rate(inputs[0]!, earlier(inputs[0]!))
  }
}

/** Rate of change of a whole series. @category indicators @since 0.1.0 */
export const rocColumn = (
  [source]: ReadonlyArray<Float64Array>,
  [period]: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => [changeColumn(source!, period!, rate)]
