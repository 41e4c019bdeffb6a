/**
 * Stochastic oscillator: where the close lies between the lowest low and the highest high, from 0
 * to 100.
 *
 * @since 0.1.0
 */
import { highestStep, lowestStep, sumStep } from "../rolling.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/**
 * Index of the first K; D follows `signal - 1` candles later.
 *
 * @category indicators
 * @since 0.1.0
 */
export const stochasticWarmup = (period: number, smooth: number, _signal: number): number =>
  period + smooth - 2

/**
 * The place of `close` between the lowest `low` and the highest `high` of the last `period` values,
 * from 0 to 100. It is 0 where the two are no further apart than `least`.
 *
 * @category indicators
 * @since 0.1.0
 */
export const positionStep = (
  period: number,
  least: number
): ((high: number, low: number, close: number) => number) => {
  const highest = highestStep(period)
  const lowest = lowestStep(period)
  return (high, low, close) => {
    const lower = lowest(low)
    const room = highest(high) - lower
    // A close that is not there has no position, not even where nothing moved.
    if (room <= least) return Number.isNaN(close) ? Number.NaN : 0
    return 100 * ((close - lower) / room)
  }
}

/**
 * K and D from high, low and close, one candle at a time. K is the position averaged over `smooth`
 * candles, and D is K averaged over `signal` candles. With `smooth` 1 it is the fast form.
 *
 * **Gotchas**
 *
 * Where the price has not moved at all within the period, the position is 0.
 *
 * @category indicators
 * @since 0.1.0
 */
export const stochasticStep = ([period, smooth, signal]: ReadonlyArray<number>): IndicatorStep => {
  const position = positionStep(period!, 0)
  // Sums without a rounding rest, so that a K that stays at 100 does not cross its D.
  const smoothed = sumStep(smooth!)
  const signalled = sumStep(signal!)
  return (inputs, outputs) => {
    const k = smoothed(position(inputs[0]!, inputs[1]!, inputs[2]!)) / smooth!
    outputs[0] = k
    outputs[1] = signalled(k) / signal!
  }
}

/** K and D of a whole series. @category indicators @since 0.1.0 */
export const stochasticColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(stochasticStep(settings), inputs, 2)
