/**
 * Bollinger bands: a moving average and bands some population standard deviations away.
 *
 * @since 0.1.0
 */
import { isCancelled, meanStep, stdevStep } from "../rolling.ts"
import {
  firstValueAt,
  gapAt,
  goesOn,
  meanColumn,
  stdevColumn,
  windowDeviation
} from "../rollingColumns.ts"
import { makeArrayTiles } from "../vectors/arrayTiles.ts"
import { followPeriods } from "../vectors/followPeriods.ts"
import { stretchesMin } from "../vectors/followStretches.ts"
import { toWhole, wholeStretch } from "../wholes.ts"
import { type ColumnsInto, type IndicatorStep, orEmpty } from "./IndicatorStep.ts"

/** Index of the first value. @category indicators @since 0.1.0 */
export const bollingerWarmup = (period: number, _deviations: number): number => period - 1

/** Middle, upper and lower band, one value at a time. @category indicators @since 0.1.0 */
export const bollingerStep = ([period, deviations]: ReadonlyArray<number>): IndicatorStep => {
  const mean = meanStep(period!)
  const deviation = stdevStep(period!)
  return (inputs, outputs) => {
    const middle = mean(inputs[0]!)
    const room = deviations! * deviation(inputs[0]!)
    outputs[0] = middle
    outputs[1] = middle + room
    outputs[2] = middle - room
  }
}

/**
 * Writes the bands from `block`, at which the rings of the steps come round, to the next such
 * candle. The sums of the mean are of whole numbers at a scale, or of doubles (scale 0). The sums
 * of the deviation are kept beside them.
 */
const bandsBlock = (
  [middle, upper, lower]: readonly [Float64Array, Float64Array, Float64Array],
  source: Float64Array,
  block: number,
  end: number,
  period: number,
  deviations: number,
  scale: number
): void => {
  const share = 1 / period
  const divisor = scale === 0 ? period : period * scale
  const first = block - period + 1
  let total = 0
  for (let index = first; index <= block; index++) total += source[index]!
  const origin = total / period
  let sum = 0
  let squares = 0
  for (let index = first; index <= block; index++) {
    const deviation = source[index]! - origin
    sum += deviation
    squares += deviation * deviation
  }
  let gathered = squares
  if (scale > 0) {
    total = 0
    for (let index = first; index <= block; index++) total += toWhole(source[index]!, scale)
  }
  const widest = deviations * Math.sqrt(squares * share)
  const begun = total / divisor
  middle[block] = begun
  upper[block] = begun + widest
  lower[block] = begun - widest
  const blockEnd = Math.min(block + period, end)
  for (let index = block + 1; index < blockEnd; index++) {
    const value = source[index]!
    const before = source[index - period]!
    const entering = value - origin
    const leaving = before - origin
    const square = entering * entering
    total += scale === 0 ? value - before : toWhole(value - before, scale)
    sum += entering - leaving
    squares += square - leaving * leaving
    gathered += square
    const left = squares - sum * sum * share
    const deviation = isCancelled(left, gathered)
      ? windowDeviation(source, period, index)
      : Math.sqrt(left * share)
    const center = total / divisor
    const room = deviations * deviation
    middle[index] = center
    upper[index] = center + room
    lower[index] = center - room
  }
}

/** The bands of values of which only the first are whole numbers: the mean begins anew there. */
const bandsApart = (
  [middle, upper, lower]: readonly [Float64Array, Float64Array, Float64Array],
  source: Float64Array,
  start: number,
  end: number,
  period: number,
  deviations: number
): void => {
  const values = source.subarray(start, end)
  const means = meanColumn(values, period)
  stdevColumn(values, period).forEach((deviation, nth) => {
    const center = means[nth]!
    const room = deviations * deviation
    middle[start + nth] = center
    upper[start + nth] = center + room
    lower[start + nth] = center - room
  })
}

/** All bands of a long column without gaps, periods side by side; false if it is none. */
const bandsSideBySide = (
  bands: ReadonlyArray<Float64Array | null>,
  values: Float64Array,
  period: number,
  deviations: number
): boolean => {
  const { length } = values
  const start = firstValueAt(values)
  const first = start + period - 1
  const tiles = length - first < stretchesMin ? null : makeArrayTiles([values], bands)
  if (tiles === null) return false
  const { addresses, functions } = tiles
  const followed = followPeriods(tiles, values, start, period, (block, end, scale) =>
    functions.bandBlocks(
      addresses[0]!,
      addresses[1]!,
      addresses[2]!,
      addresses[3]!,
      block,
      end,
      period,
      deviations,
      scale
    )
  )
  if (followed === null || !goesOn(values, followed.rest, followed.scale, period)) return false
  const { rest, scale } = followed
  const before = period - 1
  const tail = values.subarray(rest - before)
  const tails = [0, 1, 2].map(() => new Float64Array(tail.length))
  for (let block = before; block < tail.length; block += period) {
    const [middle, upper, lower] = [tails[0]!, tails[1]!, tails[2]!]
    bandsBlock([middle, upper, lower], tail, block, tail.length, period, deviations, scale)
  }
  bands.forEach((band, nth) => {
    band?.fill(Number.NaN, 0, first)
    band?.set(tails[nth]!.subarray(before), rest)
  })
  return true
}

/** Middle, upper and lower band of a whole series. @category indicators @since 0.1.0 */
export const bollingerColumn = (
  [source]: ReadonlyArray<Float64Array>,
  [period, deviations]: ReadonlyArray<number>,
  into: ColumnsInto = []
): ReadonlyArray<Float64Array> => {
  const values = source!
  const count = period!
  const { length } = values
  const wanted = [0, 1, 2].map((nth) =>
    into[nth] === undefined ? new Float64Array(length) : into[nth]
  )
  if (bandsSideBySide(wanted, values, count, deviations!)) return wanted.map(orEmpty)
  const orNew = (nth: number): Float64Array => wanted[nth] ?? new Float64Array(length)
  const bands = [orNew(0), orNew(1), orNew(2)] as const
  for (let start = 0, end = 0; start < length; start = end + 1) {
    end = gapAt(values, start)
    const full = Math.min(start + count - 1, end)
    for (const band of bands) {
      band.fill(Number.NaN, start, full)
      if (end < length) band[end] = Number.NaN
    }
    const whole = wholeStretch(values, start, end, count)
    if (whole.end > full && whole.end < end) {
      bandsApart(bands, values, start, end, count, deviations!)
      continue
    }
    const scale = whole.end > full ? whole.scale : 0
    for (let block = full; block < end; block += count) {
      bandsBlock(bands, values, block, end, count, deviations!, scale)
    }
  }
  return bands
}
