/**
 * SuperTrend: a band some average true ranges below a rising market or above a falling one, which
 * changes sides when the close crosses it.
 *
 * Both bands are carried all the time, and the first direction is that of the close against the
 * middle of its candle.
 *
 * @since 0.1.0
 */
import { atrStep, atrWarmup } from "./atr.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const supertrendWarmup = (period: number, _multiple: number): number => atrWarmup(period)

/**
 * The line and its direction, 1 or -1, from high, low and close, one candle at a time.
 *
 * @category indicators
 * @since 0.1.0
 */
export const supertrendStep = ([period, multiple]: ReadonlyArray<number>): IndicatorStep => {
  const range = atrStep([period!])
  let upper = Number.NaN
  let lower = Number.NaN
  let before = Number.NaN
  let rising = true
  return (inputs, outputs) => {
    const close = inputs[2]!
    const middle = (inputs[0]! + inputs[1]!) / 2
    range(inputs, outputs)
    const room = multiple! * outputs[0]!
    if (Number.isNaN(room + close)) {
      upper = Number.NaN
      outputs[0] = Number.NaN
      outputs[1] = Number.NaN
      return
    }
    const above = middle + room
    const below = middle - room
    if (Number.isNaN(upper)) {
      upper = above
      lower = below
      rising = close >= middle
    } else {
      if (above < upper || before > upper) upper = above
      if (below > lower || before < lower) lower = below
    }
    before = close
    rising = close > (rising ? lower : upper)
    outputs[0] = rising ? lower : upper
    outputs[1] = rising ? 1 : -1
  }
}

/** The line and its direction for a whole series. @category indicators @since 0.1.0 */
export const supertrendColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(supertrendStep(settings), inputs, 2)
