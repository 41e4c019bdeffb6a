/**
 * Ichimoku cloud: the middles of three channels, two of them displaced forward.
 *
 * A span shown at a candle was computed `base` candles before it, so nothing looks ahead. The
 * lagging line (chikou) is left out: shown where charts draw it, it is the close of a later candle.
 *
 * @since 0.1.0
 */
import { highestStep, lowestStep, shiftStep } from "../rolling.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/**
 * Index of the first conversion; the base starts at `base - 1` and the spans `base` candles after
 * their channels.
 *
 * @category indicators
 * @since 0.1.0
 */
export const ichimokuWarmup = (conversion: number, _base: number, _span: number): number =>
  conversion - 1

/** Middle of the highest high and the lowest low of the last candles. */
const middleStep = (period: number): ((high: number, low: number) => number) => {
  const highest = highestStep(period)
  const lowest = lowestStep(period)
  return (high, low) => (highest(high) + lowest(low)) / 2
}

/**
 * Conversion, base and both spans from high and low, one candle at a time.
 *
 * @category indicators
 * @since 0.1.0
 */
export const ichimokuStep = ([conversion, base, span]: ReadonlyArray<number>): IndicatorStep => {
  const conversionMiddle = middleStep(conversion!)
  const baseMiddle = middleStep(base!)
  const spanMiddle = middleStep(span!)
  let spanA = shiftStep(base!)
  let spanB = shiftStep(base!)
  return (inputs, outputs) => {
    const high = inputs[0]!
    const low = inputs[1]!
    if (Number.isNaN(high + low)) {
      // Values from before a gap do not show after it.
      spanA = shiftStep(base!)
      spanB = shiftStep(base!)
    }
    const fast = conversionMiddle(high, low)
    const slow = baseMiddle(high, low)
    outputs[0] = fast
    outputs[1] = slow
    outputs[2] = spanA((fast + slow) / 2)
    outputs[3] = spanB(spanMiddle(high, low))
  }
}

/** Conversion, base and both spans of a whole series. @category indicators @since 0.1.0 */
export const ichimokuColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(ichimokuStep(settings), inputs, 4)
