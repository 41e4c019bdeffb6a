/**
 * Parabolic stop and reverse: a stop that follows the trend ever faster, and changes sides when it
 * is touched.
 *
 * It starts as TA-Lib does: downwards if the second candle moved more downwards than upwards, else
 * upwards.
 *
 * @since 0.1.0
 */
import { type IndicatorStep, toColumns } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const sarWarmup = (_acceleration: number, _limit: number): number => 1

/**
 * The stop in force during a candle, from high and low, one candle at a time.
 *
 * **Details**
 *
 * On the candle that touches the stop, the value is the new stop on the other side. It is the
 * extreme of the trend that ended, or of this candle or the one before where that is farther out.
 *
 * @category indicators
 * @since 0.1.0
 */
export const sarStep = ([acceleration, limit]: ReadonlyArray<number>): IndicatorStep => {
  const start = Math.min(acceleration!, limit!)
  let highBefore = Number.NaN
  let lowBefore = Number.NaN
  let started = false
  let rising = true
  let speed = start
  let extreme = Number.NaN
  let stop = Number.NaN
  return (inputs, outputs) => {
    const high = inputs[0]!
    const low = inputs[1]!
    if (Number.isNaN(high + low + highBefore + lowBefore)) {
      started = false
      highBefore = high
      lowBefore = low
      outputs[0] = Number.NaN
      return
    }
    // A falling stop is never below the last two highs, a rising one never above the last two lows.
    let ceiling = Math.max(highBefore, high)
    let floor = Math.min(lowBefore, low)
    if (!started) {
      const down = lowBefore - low
      started = true
      rising = !(down > 0 && down > high - highBefore)
      speed = start
      extreme = rising ? high : low
      stop = rising ? lowBefore : highBefore
      // At its start the stop is the first candle's extreme, so only the second one bounds it.
      ceiling = high
      floor = low
    }
    highBefore = high
    lowBefore = low
    const touched = rising ? low <= stop : high >= stop
    if (touched) {
      rising = !rising
      stop = rising ? Math.min(extreme, floor) : Math.max(extreme, ceiling)
      speed = start
      extreme = rising ? high : low
    } else if (rising ? high > extreme : low < extreme) {
      extreme = rising ? high : low
      speed = Math.min(speed + start, limit!)
    }
    outputs[0] = stop
    stop += speed * (extreme - stop)
    stop = rising ? Math.min(stop, floor) : Math.max(stop, ceiling)
  }
}

/** The stop for a whole series. @category indicators @since 0.1.0 */
export const sarColumn = (
  inputs: ReadonlyArray<Float64Array>,
  settings: ReadonlyArray<number>
): ReadonlyArray<Float64Array> => toColumns(sarStep(settings), inputs, 1)
