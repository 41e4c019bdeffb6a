/**
 * True strength index: the change smoothed twice against its size smoothed twice, from -100 to 100.
 *
 * @since 0.1.0
 */
import { smoothedStep } from "./ema.ts"
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/**
 * Index of the first value; the signal follows `signal - 1` candles later.
 *
 * @category indicators
 * @since 0.1.0
 */
export const tsiWarmup = (long: number, short: number, _signal: number): number => long + short - 1

/**
 * Value and signal, one value at a time; every average is exponential.
 *
 * **Gotchas**
 *
 * A series that has not moved at all has the value 0.
 *
 * @category indicators
 * @since 0.1.0
 */
export const tsiStep = ([long, short, signal]: ReadonlyArray<number>): IndicatorStep => {
  const average = (period: number) => smoothedStep(period, 2 / (period + 1))
  const changes = average(long!)
  const smoothedChanges = average(short!)
  const sizes = average(long!)
  const smoothedSizes = average(short!)
  const signalled = average(signal!)
  let before = Number.NaN
  return (inputs, outputs) => {
    const change = inputs[0]! - before
    before = inputs[0]!
    const direction = smoothedChanges(changes(change))
    const size = smoothedSizes(sizes(Math.abs(change)))
    const value = size === 0 ? 0 : 100 * (direction / size)
    outputs[0] = value
    outputs[1] = signalled(value)
  }
}

/** Value and signal of a whole series. @category indicators @since 0.1.0 */
export const tsiColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(tsiStep(settings), inputs, 2)
