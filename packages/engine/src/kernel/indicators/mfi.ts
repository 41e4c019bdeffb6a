/**
 * Money flow index: the relative strength of volume times price, from 0 to 100.
 *
 * @since 0.1.0
 */
import { sumStep } from "../rolling.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/**
 * Index of the first value; the first candle has no change.
 *
 * @category indicators
 * @since 0.1.0
 */
export const mfiWarmup = (period: number): number => period

/**
 * The share of money that flowed on a rising typical price in the whole flow. It takes high, low,
 * close and volume, one candle at a time. A typical price that did not change counts for neither
 * side.
 *
 * **Gotchas**
 *
 * Where no money flowed within the period, the index is 0.
 *
 * @category indicators
 * @since 0.1.0
 */
export const mfiStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const rises = sumStep(period!)
  const falls = sumStep(period!)
  let before = Number.NaN
  return (inputs, outputs) => {
    const typical = (inputs[0]! + inputs[1]! + inputs[2]!) / 3
    const flow = typical * inputs[3]!
    const change = typical - before
    before = typical
    const rise = rises(Number.isNaN(change) ? Number.NaN : change > 0 ? flow : 0)
    const fall = falls(Number.isNaN(change) ? Number.NaN : change < 0 ? flow : 0)
    const sum = rise + fall
    outputs[0] = sum === 0 ? 0 : 100 * (rise / sum)
  }
}

/** Money flow index of a whole series. @category indicators @since 0.1.0 */
export const mfiColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(mfiStep(settings), inputs, 1)
