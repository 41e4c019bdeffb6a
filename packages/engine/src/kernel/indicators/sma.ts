/**
 * Simple moving average.
 *
 * @since 0.1.0
 */
import { meanStep } from "../rolling.ts"
import { meanColumn } from "../rollingColumns.ts"
import type { ColumnsInto, IndicatorStep } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const smaWarmup = (period: number): number => period - 1

/** Mean of the last `period` values, one at a time. @category indicators @since 0.1.0 */
export const smaStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const next = meanStep(period!)
  return (inputs, outputs) => {
    outputs[0] = next(inputs[0]!)
  }
}

/** Mean of the last `period` values, for a whole series. @category indicators @since 0.1.0 */
export const smaColumn = (
  [source]: ReadonlyArray<Float64Array>,
  [period]: ReadonlyArray<number>,
  [into]: ColumnsInto = []
): ReadonlyArray<Float64Array> => [meanColumn(source!, period!, into ?? undefined)]
