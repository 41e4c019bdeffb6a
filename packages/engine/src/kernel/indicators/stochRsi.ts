/**
 * Stochastic of the relative strength index, from 0 to 100.
 *
 * @since 0.1.0
 */
import { sumStep } from "../rolling.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"
import { rsiStep, rsiWarmup } from "./rsi.ts"
import { positionStep, stochasticWarmup } from "./stochastic.ts"

/**
 * Index of the first K; D follows `signal - 1` candles later.
 *
 * @category indicators
 * @since 0.1.0
 */
export const stochRsiWarmup = (
  rsi: number,
  period: number,
  smooth: number,
  signal: number
): number => rsiWarmup(rsi) + stochasticWarmup(period, smooth, signal)

/**
 * K and D of the index's place among its last `period` values, one value at a time. K is the place
 * averaged over `smooth` values (1 leaves it as it is), and D is K averaged over `signal` values.
 *
 * **Gotchas**
 *
 * Where the index has not moved at all within the period, the place is 0.
 *
 * @category indicators
 * @since 0.1.0
 */
export const stochRsiStep = ([
  rsi,
  period,
  smooth,
  signal
]: ReadonlyArray<number>): IndicatorStep => {
  const strength = rsiStep([rsi!])
  // While the price stands still the index only changes by rounding, which is no movement.
  const position = positionStep(period!, 1e-10)
  const smoothed = sumStep(smooth!)
  const signalled = sumStep(signal!)
  return (inputs, outputs) => {
    strength(inputs, outputs)
    const index = outputs[0]!
    const k = smoothed(position(index, index, index)) / smooth!
    outputs[0] = k
    outputs[1] = signalled(k) / signal!
  }
}

/** K and D of a whole series. @category indicators @since 0.1.0 */
export const stochRsiColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(stochRsiStep(settings), inputs, 2)
