/**
 * Rolling statistics of whole series: the loops of `rolling.ts` without a call for each value.
 *
 * Every function does the additions of its step in the step's order, so that both give the same
 * numbers to the bit; only where the past is kept differs, a series here and a ring there. `into`
 * takes the values; columns that are computed again and again need no new memory.
 *
 * @since 0.1.0
 */
import { isCancelled } from "./rolling.ts"

/** Index of the first NaN from `from` on, or the length. @category indicators @since 0.1.0 */
export const gapAt = (source: Float64Array, from: number): number => {
  const { length } = source
  let index = from
  // The sum of some values is NaN where one of them is; infinities can make it so too, and are
  // looked at one by one.
  for (; index + 4 <= length; index += 4) {
    const sum = source[index]! + source[index + 1]! + source[index + 2]! + source[index + 3]!
    if (Number.isNaN(sum)) break
  }
  while (index < length && !Number.isNaN(source[index]!)) index++
  return index
}

/** Calls `run` for each stretch without NaN, and leaves what is not its full window NaN. */
const forEachRun = (
  source: Float64Array,
  period: number,
  run: (column: Float64Array, start: number, end: number) => void,
  column: Float64Array
): Float64Array => {
  const { length } = source
  for (let start = 0; start < length;) {
    const end = gapAt(source, start)
    column.fill(Number.NaN, start, Math.min(end, start + period - 1))
    if (end - start >= period) run(column, start, end)
    if (end < length) column[end] = Number.NaN
    start = end + 1
  }
  return column
}

/** Mean of the last `period` values. @category indicators @since 0.1.0 */
export const meanColumn = (
  source: Float64Array,
  period: number,
  into: Float64Array = new Float64Array(source.length)
): Float64Array =>
  forEachRun(
    source,
    period,
    (column, start, end) => {
      for (let block = start + period - 1; block < end; block += period) {
        let sum = 0
        for (let index = block - period + 1; index <= block; index++) sum += source[index]!
        column[block] = sum / period
        const blockEnd = Math.min(block + period, end)
        for (let index = block + 1; index < blockEnd; index++) {
          sum += source[index]! - source[index - period]!
          column[index] = sum / period
        }
      }
    },
    into
  )

/** Deviation of the `period` values up to `last` from their mean. */
const windowDeviation = (source: Float64Array, period: number, last: number): number => {
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

/** Population standard deviation of the last `period` values. @category indicators @since 0.1.0 */
export const stdevColumn = (
  source: Float64Array,
  period: number,
  into: Float64Array = new Float64Array(source.length)
): Float64Array =>
  forEachRun(
    source,
    period,
    (column, start, end) => {
      const share = 1 / period
      for (let block = start + period - 1; block < end; block += period) {
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
    },
    into
  )

/**
 * Highest (`sign` 1) or lowest (-1): a window is the end of one block of `period` values and the
 * beginning of the next, so the extremes of all ends and all beginnings suffice. Of equals the
 * newest counts, as in the step: zeros have signs.
 */
const extremeColumn = (
  source: Float64Array,
  period: number,
  sign: 1 | -1,
  into: Float64Array
): Float64Array => {
  const ends = new Float64Array(period + 1)
  return forEachRun(
    source,
    period,
    (column, start, end) => {
      ends.fill(-Infinity)
      for (let block = start; block < end; block += period) {
        const blockEnd = Math.min(block + period, end)
        let best = -Infinity
        for (let index = block; index < blockEnd; index++) {
          const value = source[index]! * sign
          if (value >= best) best = value
          const ended = ends[index - block + 1]!
          if (index - start >= period - 1) column[index] = (best >= ended ? best : ended) * sign
        }
        best = -Infinity
        for (let index = blockEnd - 1; index > block; index--) {
          const value = source[index]! * sign
          if (value > best) best = value
          ends[index - block] = best
        }
      }
    },
    into
  )
}

/** Highest of the last `period` values. @category indicators @since 0.1.0 */
export const highestColumn = (
  source: Float64Array,
  period: number,
  into: Float64Array = new Float64Array(source.length)
): Float64Array => extremeColumn(source, period, 1, into)

/** Lowest of the last `period` values. @category indicators @since 0.1.0 */
export const lowestColumn = (
  source: Float64Array,
  period: number,
  into: Float64Array = new Float64Array(source.length)
): Float64Array => extremeColumn(source, period, -1, into)

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
  forEachRun(
    source,
    period,
    (column, start, end) => {
      const first = start + period - 1
      let sum = 0
      for (let index = start; index <= first; index++) sum += source[index]!
      let average = sum / period
      column[first] = average
      for (let index = first + 1; index < end; index++) {
        average += weight * (source[index]! - average)
        column[index] = average
      }
    },
    into
  )
