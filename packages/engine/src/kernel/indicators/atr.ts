/**
 * Average true range: Wilder's average of how far the price went, gaps included.
 *
 * @since 0.1.0
 */
import { chunkLength, firstValueAt } from "../rollingColumns.ts"
import { makeArrayTiles } from "../vectors/arrayTiles.ts"
import { followStretches, stretchesMin } from "../vectors/followStretches.ts"
import { smoothedStep } from "./ema.ts"
import type { ColumnsInto, IndicatorStep } from "./IndicatorStep.ts"

/**
 * Index of the first value; the first candle has no true range.
 *
 * @category indicators
 * @since 0.1.0
 */
export const atrWarmup = (period: number): number => period

/**
 * The candle's range and the gap before it: the close before lies above the high, or below the low,
 * or leaves no gap. Without a branch, which prices would mispredict.
 *
 * @category indicators
 * @since 0.1.0
 */
export const trueRange = (high: number, low: number, before: number): number => {
  const above = before - high
  const below = low - before
  return high - low + (above + Math.abs(above) + (below + Math.abs(below))) * 0.5
}

/**
 * Average true range from high, low and close, one candle at a time.
 *
 * @category indicators
 * @since 0.1.0
 */
export const atrStep = ([period]: ReadonlyArray<number>): IndicatorStep => {
  const average = smoothedStep(period!, 1 / period!)
  let before = Number.NaN
  return (inputs, outputs) => {
    const range = trueRange(inputs[0]!, inputs[1]!, before)
    before = inputs[2]!
    outputs[0] = average(range)
  }
}

/** Goes on from the average before; returns where it ends, at a gap at the latest. */
const followRanges = (
  column: Float64Array,
  highs: Float64Array,
  lows: Float64Array,
  closes: Float64Array,
  from: number,
  until: number,
  weight: number
): number => {
  let average = column[from - 1]!
  let before = closes[from - 1]!
  let index = from
  for (; index < until; index++) {
    const range = trueRange(highs[index]!, lows[index]!, before)
    if (Number.isNaN(range)) break
    before = closes[index]!
    average += weight * (range - average)
    column[index] = average
  }
  return index
}

/** All values of long columns without gaps, in stretches side by side; false if they are none. */
const rangesSideBySide = (
  column: Float64Array,
  highs: Float64Array,
  lows: Float64Array,
  closes: Float64Array,
  period: number
): boolean => {
  const { length } = closes
  // The first range needs the close before it.
  const start = Math.max(firstValueAt(closes), firstValueAt(highs) - 1, firstValueAt(lows) - 1)
  const first = start + period
  const tiles =
    length - first <= stretchesMin ? null : makeArrayTiles([highs, lows, closes], [column])
  if (tiles === null) return false
  const { addresses, functions, statesAt } = tiles
  let sum = 0
  for (let index = start + 1; index <= first; index++) {
    sum += trueRange(highs[index]!, lows[index]!, closes[index - 1]!)
  }
  column.fill(Number.NaN, 0, first)
  column[first] = sum / period
  return followStretches(tiles, first + 1, length, [sum / period], (count, apart) =>
    functions.followRanges(
      addresses[0]!,
      addresses[1]!,
      addresses[2]!,
      addresses[3]!,
      apart,
      count,
      1 / period,
      statesAt
    )
  )
}

/** Average true range of a whole series. @category indicators @since 0.1.0 */
export const atrColumn = (
  [high, low, close]: ReadonlyArray<Float64Array>,
  [period]: ReadonlyArray<number>,
  [into]: ColumnsInto = []
): ReadonlyArray<Float64Array> => {
  const [highs, lows, closes] = [high!, low!, close!]
  const count = period!
  const { length } = closes
  const column = into ?? new Float64Array(length)
  if (rangesSideBySide(column, highs, lows, closes, count)) return [column]
  const weight = 1 / count
  let index = 0
  while (index < length) {
    let before = index === 0 ? Number.NaN : closes[index - 1]!
    let average = 0
    let seen = 0
    for (; index < length && seen < count; index++) {
      const range = trueRange(highs[index]!, lows[index]!, before)
      before = closes[index]!
      column[index] = Number.NaN
      seen = Number.isNaN(range) ? 0 : seen + 1
      average = seen === 0 ? 0 : average + range
    }
    if (seen < count) break
    average /= count
    column[index - 1] = average
    let until = index
    while (index === until && index < length) {
      until = Math.min(index + chunkLength, length)
      index = followRanges(column, highs, lows, closes, index, until, weight)
    }
  }
  return [column]
}
