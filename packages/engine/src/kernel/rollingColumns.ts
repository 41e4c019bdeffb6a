/**
 * Rolling statistics of whole series: the loops of `rolling.ts` without a call for each value.
 *
 * Every function does the additions of its step in the step's order, so that both give the same
 * numbers to the bit. They differ only in where they keep the past, a series here and a ring there.
 * `into` takes the values; columns that are computed again and again need no new memory.
 *
 * @since 0.1.0
 */
import { isCancelled } from "./rolling.ts"
import { makeArrayTiles } from "./vectors/arrayTiles.ts"
import { followPeriods } from "./vectors/followPeriods.ts"
import { followStretches, stretchesMin } from "./vectors/followStretches.ts"
import { oddAt, toWhole, wholeMax, wholeStretch } from "./wholes.ts"

const gapBefore = (source: Float64Array, from: number, until: number): number => {
  let index = from
  // A sum is NaN where a part of it is; that infinities make it so too is found one by one.
  for (; index + 4 <= until; index += 4) {
    const sum = source[index]! + source[index + 1]! + (source[index + 2]! + source[index + 3]!)
    if (Number.isNaN(sum)) break
  }
  while (index < until && !Number.isNaN(source[index]!)) index++
  return index
}

/** Index of the first NaN from `from` on, or the length. @category indicators @since 0.1.0 */
export const gapAt = (source: Float64Array, from: number): number => {
  const { length } = source
  let at = from
  while (at < length) {
    const until = Math.min(at + chunkLength, length)
    at = gapBefore(source, at, until)
    if (at < until) return at
  }
  return length
}

/**
 * Candles that an inner loop does at a time. A loop that is entered once and runs long is compiled
 * while it runs, and the next garbage collection forgets that code. A function that is called often
 * stays compiled.
 *
 * @category indicators
 * @since 0.1.0
 */
export const chunkLength = 1_024

/** Writes the values of a stretch without NaN, from its first full window on. */
interface RunLoop {
  (
    column: Float64Array,
    source: Float64Array,
    start: number,
    end: number,
    period: number,
    shape: number
  ): void
}

/** Runs a loop over each stretch without NaN. Values without a full window before them are NaN. */
const forEachRun = (
  run: RunLoop,
  column: Float64Array,
  source: Float64Array,
  period: number,
  shape = 0
): Float64Array => {
  const { length } = source
  for (let start = 0; start < length;) {
    const end = gapAt(source, start)
    column.fill(Number.NaN, start, Math.min(end, start + period - 1))
    if (end - start >= period) run(column, source, start, end, period, shape)
    if (end < length) column[end] = Number.NaN
    start = end + 1
  }
  return column
}

/** The means from `block`, at which the ring of the step comes round, to the next such candle. */
const meanBlock = (
  column: Float64Array,
  source: Float64Array,
  block: number,
  end: number,
  period: number
): void => {
  let sum = 0
  for (let index = block - period + 1; index <= block; index++) sum += source[index]!
  column[block] = sum / period
  const blockEnd = Math.min(block + period, end)
  for (let index = block + 1; index < blockEnd; index++) {
    sum += source[index]! - source[index - period]!
    column[index] = sum / period
  }
}

/** The means of whole numbers, whose sums are the same wherever they begin. */
const wholeMeans = (
  column: Float64Array,
  source: Float64Array,
  from: number,
  until: number,
  period: number,
  scale: number
): void => {
  const divisor = period * scale
  let sum = 0
  for (let index = from - period + 1; index <= from; index++) sum += toWhole(source[index]!, scale)
  column[from] = sum / divisor
  for (let index = from + 1; index < until; index++) {
    sum += toWhole(source[index]! - source[index - period]!, scale)
    column[index] = sum / divisor
  }
}

/** The candle after `at` at which the ring of a step comes round that was full at `first`. */
const nextRound = (at: number, first: number, period: number): number =>
  at + period - ((at - first) % period)

const meanRun: RunLoop = (column, source, start, end, period) => {
  const first = start + period - 1
  const whole = wholeStretch(source, start, end, period)
  const stride = Math.max(period, chunkLength)
  for (let from = first; from < whole.end; from += stride) {
    wholeMeans(column, source, from, Math.min(from + stride, whole.end), period, whole.scale)
  }
  for (let block = Math.max(first, whole.end); block < end;) {
    const next = nextRound(block, first, period)
    meanBlock(column, source, block, Math.min(next, end), period)
    block = next
  }
}

/** Index of the first value that is one, or the length. @category indicators @since 0.1.0 */
export const firstValueAt = (source: Float64Array): number => {
  let at = 0
  while (at < source.length && Number.isNaN(source[at]!)) at++
  return at
}

/**
 * Whether all values from `from` on are as the values before: whole at a scale, or numbers (0).
 *
 * @category indicators
 * @since 0.1.0
 */
export const goesOn = (
  source: Float64Array,
  from: number,
  scale: number,
  period: number
): boolean => {
  const { length } = source
  const until =
    scale === 0 ? gapAt(source, from) : oddAt(source, from, length, scale, wholeMax(period))
  return until === length
}

/** All means of a long column without gaps, several periods side by side; false if it is none. */
const meansSideBySide = (column: Float64Array, source: Float64Array, period: number): boolean => {
  const { length } = source
  const start = firstValueAt(source)
  const first = start + period - 1
  const tiles = length - first < stretchesMin ? null : makeArrayTiles([source], [column])
  if (tiles === null) return false
  const { addresses, functions } = tiles
  const followed = followPeriods(tiles, source, start, period, (block, end, scale) =>
    functions.meanBlocks(addresses[0]!, addresses[1]!, block, end, period, scale)
  )
  if (followed === null || !goesOn(source, followed.rest, followed.scale, period)) return false
  column.fill(Number.NaN, 0, first)
  const { rest, scale } = followed
  if (scale === 0) {
    for (let block = rest; block < length; block += period) {
      meanBlock(column, source, block, length, period)
    }
  } else if (rest < length) wholeMeans(column, source, rest, length, period, scale)
  return true
}

/** Mean of the last `period` values. @category indicators @since 0.1.0 */
export const meanColumn = (
  source: Float64Array,
  period: number,
  into: Float64Array = new Float64Array(source.length)
): Float64Array =>
  meansSideBySide(into, source, period) ? into : forEachRun(meanRun, into, source, period)

/**
 * Deviation of the `period` values up to `last` from their mean.
 *
 * @category indicators
 * @since 0.1.0
 */
export const windowDeviation = (source: Float64Array, period: number, last: number): number => {
  const first = last - period + 1
  let sum = 0
  for (let index = first; index <= last; index++) sum += source[index]!
  const mean = sum / period
  let squares = 0
  for (let index = first; index <= last; index++) {
    const deviation = source[index]! - mean
    squares += deviation * deviation
  }
  return Math.sqrt(squares * (1 / period))
}

/** The deviations from `block`, at which the ring of the step comes round, to the next such. */
const stdevBlock = (
  column: Float64Array,
  source: Float64Array,
  block: number,
  end: number,
  period: number
): void => {
  const share = 1 / period
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
  column[block] = Math.sqrt(squares * share)
  const blockEnd = Math.min(block + period, end)
  for (let index = block + 1; index < blockEnd; index++) {
    const entering = source[index]! - origin
    const leaving = source[index - period]! - origin
    const square = entering * entering
    sum += entering - leaving
    squares += square - leaving * leaving
    gathered += square
    const left = squares - sum * sum * share
    column[index] = isCancelled(left, gathered)
      ? windowDeviation(source, period, index)
      : Math.sqrt(left * share)
  }
}

const stdevRun: RunLoop = (column, source, start, end, period) => {
  for (let block = start + period - 1; block < end; block += period) {
    stdevBlock(column, source, block, end, period)
  }
}

/** Population standard deviation of the last `period` values. @category indicators @since 0.1.0 */
export const stdevColumn = (
  source: Float64Array,
  period: number,
  into: Float64Array = new Float64Array(source.length)
): Float64Array => forEachRun(stdevRun, into, source, period)

/**
 * Highest (`sign` 1) or lowest (-1) of a block. A window is the end of one block of `period` values
 * and the beginning of the next. So the extremes of all ends and all beginnings suffice. Of equals
 * the newest counts, as in the step: zeros have signs.
 */
const extremeBlock = (
  column: Float64Array,
  source: Float64Array,
  block: number,
  blockEnd: number,
  full: number,
  ends: Float64Array,
  sign: number
): void => {
  let best = -Infinity
  for (let index = block; index < blockEnd; index++) {
    const value = source[index]! * sign
    if (value >= best) best = value
    const ended = ends[index - block + 1]!
    if (index >= full) column[index] = (best >= ended ? best : ended) * sign
  }
  best = -Infinity
  for (let index = blockEnd - 1; index > block; index--) {
    const value = source[index]! * sign
    if (value > best) best = value
    ends[index - block] = best
  }
}

const extremeRun: RunLoop = (column, source, start, end, period, sign) => {
  const ends = new Float64Array(period + 1).fill(-Infinity)
  const full = start + period - 1
  for (let block = start; block < end; block += period) {
    extremeBlock(column, source, block, Math.min(block + period, end), full, ends, sign)
  }
}

/** Highest of the last `period` values. @category indicators @since 0.1.0 */
export const highestColumn = (
  source: Float64Array,
  period: number,
  into: Float64Array = new Float64Array(source.length)
): Float64Array => forEachRun(extremeRun, into, source, period, 1)

/** Lowest of the last `period` values. @category indicators @since 0.1.0 */
export const lowestColumn = (
  source: Float64Array,
  period: number,
  into: Float64Array = new Float64Array(source.length)
): Float64Array => forEachRun(extremeRun, into, source, period, -1)

const smoothChunk = (
  column: Float64Array,
  source: Float64Array,
  from: number,
  until: number,
  weight: number
): void => {
  let average = column[from - 1]!
  for (let index = from; index < until; index++) {
    average += weight * (source[index]! - average)
    column[index] = average
  }
}

const smoothedRun: RunLoop = (column, source, start, end, period, weight) => {
  const first = start + period - 1
  let sum = 0
  for (let index = start; index <= first; index++) sum += source[index]!
  column[first] = sum / period
  for (let from = first + 1; from < end; from += chunkLength) {
    smoothChunk(column, source, from, Math.min(from + chunkLength, end), weight)
  }
}

/** All averages of a long column without gaps, in stretches side by side; false if it is none. */
const smoothSideBySide = (
  column: Float64Array,
  source: Float64Array,
  period: number,
  weight: number
): boolean => {
  const { length } = source
  const start = firstValueAt(source)
  const first = start + period - 1
  const tiles = length - first <= stretchesMin ? null : makeArrayTiles([source], [column])
  if (tiles === null) return false
  const { addresses, functions, statesAt } = tiles
  let sum = 0
  for (let index = start; index <= first; index++) sum += source[index]!
  column.fill(Number.NaN, 0, first)
  column[first] = sum / period
  return followStretches(tiles, first + 1, length, [sum / period], (count, apart) =>
    functions.followAverage(addresses[0]!, addresses[1]!, apart, count, weight, statesAt)
  )
}

/**
 * An average that gives the newest value the weight `weight`, seeded with the mean of the first
 * `period`.
 *
 * @category indicators
 * @since 0.1.0
 */
export const smoothedColumn = (
  source: Float64Array,
  period: number,
  weight: number,
  into: Float64Array = new Float64Array(source.length)
): Float64Array =>
  smoothSideBySide(into, source, period, weight)
    ? into
    : forEachRun(smoothedRun, into, source, period, weight)
