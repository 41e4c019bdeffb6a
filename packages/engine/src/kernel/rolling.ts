/**
 * Rolling statistics over the last values of a series, one value at a time and as columns.
 *
 * Sums of decimals are exact (`wholes.ts`). Others are made anew each time the ring comes round, so
 * that they don't drift however long the series is.
 *
 * @since 0.1.0
 */
import { scaleWith, toWhole, wholeMax } from "./wholes.ts"

/**
 * Takes the next value and returns the statistic, NaN until the period is full.
 *
 * @category indicators
 * @since 0.1.0
 */
export interface RollingStep {
  (value: number): number
}

/** Runs a rolling step over a whole column. @category indicators @since 0.1.0 */
export const toRollingColumn = (step: RollingStep, source: Float64Array): Float64Array => {
  const column = new Float64Array(source.length)
  for (let index = 0; index < source.length; index++) column[index] = step(source[index]!)
  return column
}

/**
 * Sum of the values in a ring, from the oldest on.
 *
 * @category indicators
 * @since 0.1.0
 */
export const ringSum = (ring: Float64Array, at: number, count: number): number => {
  let sum = 0
  if (count === ring.length) for (let index = at; index < count; index++) sum += ring[index]!
  const end = count === ring.length ? at : count
  for (let index = 0; index < end; index++) sum += ring[index]!
  return sum
}

/**
 * Mean of the last `period` values: on paper, as long as they are decimals (`wholes.ts`).
 *
 * @category indicators
 * @since 0.1.0
 */
export const meanStep = (period: number): RollingStep => {
  const ring = new Float64Array(period)
  const max = wholeMax(period)
  let at = 0
  let count = 0
  let sum = 0
  /** The factor that makes the values whole; 0 where doubles are summed. */
  let scale = 1
  let most = 0
  return (value) => {
    if (Number.isNaN(value)) {
      count = 0
      at = 0
      sum = 0
      scale = 1
      most = 0
      return Number.NaN
    }
    const leaving = count < period ? 0 : ring[at]!
    ring[at] = value
    at = at + 1 === period ? 0 : at + 1
    const isFull = count === period
    if (!isFull) count++
    if (scale > 0) {
      most = Math.max(most, Math.abs(value))
      const next = scaleWith(value, scale, most, max)
      if (next === 0) {
        scale = 0
        sum = ringSum(ring, at, count)
      } else {
        if (next !== scale) sum *= next / scale
        scale = next
        sum += toWhole(value, scale) - toWhole(leaving, scale)
        return count < period ? Number.NaN : sum / (period * scale)
      }
    } else if (!isFull) sum += value
    else if (at === 0) sum = ringSum(ring, 0, period)
    else sum += value - leaving
    return count < period ? Number.NaN : sum / period
  }
}

/**
 * Returns a number for each whole window of `period` values, NaN before the first one. `of` is
 * given the ring that holds them, the place of the oldest, and the newest.
 *
 * @category indicators
 * @since 0.1.0
 */
export const windowStep = (
  period: number,
  of: (ring: Float64Array, oldest: number, newest: number) => number
): RollingStep => {
  const ring = new Float64Array(period)
  let at = 0
  let count = 0
  return (value) => {
    if (Number.isNaN(value)) {
      count = 0
      at = 0
      return Number.NaN
    }
    ring[at] = value
    at = at + 1 === period ? 0 : at + 1
    if (count < period) count++
    return count < period ? Number.NaN : of(ring, at, value)
  }
}

/**
 * Sum of the last `period` values.
 *
 * **Details**
 *
 * It is computed anew for every value. A carried sum keeps a rounding rest after large values have
 * left. The ratio of two such rests is noise where it should be nought.
 *
 * @category indicators
 * @since 0.1.0
 */
export const sumStep = (period: number): RollingStep =>
  windowStep(period, (ring) => {
    let sum = 0
    for (let index = 0; index < period; index++) sum += ring[index]!
    return sum
  })

/**
 * Whether the rest of a carried sum of squares is too small a part of all its squares to be
 * trusted.
 *
 * @category indicators
 * @since 0.1.0
 */
export const isCancelled = (left: number, gathered: number): boolean => !(left >= gathered * 1e-3)

/**
 * Population standard deviation of the last `period` values.
 *
 * **Details**
 *
 * Deviations are taken from the mean of the window at which the ring last came round. Their sum and
 * their squares are carried along until it comes round again. Where little is left of them, as in a
 * window without moves after one with large ones, that window is computed by itself.
 *
 * @category indicators
 * @since 0.1.0
 */
export const stdevStep = (period: number): RollingStep => {
  const ring = new Float64Array(period)
  let at = 0
  let count = 0
  let origin = 0
  let sum = 0
  let squares = 0
  let gathered = 0
  const share = 1 / period

  const anew = (): number => {
    let total = 0
    for (let index = 0; index < period; index++) total += ring[index]!
    origin = total / period
    sum = 0
    squares = 0
    for (let index = 0; index < period; index++) {
      const deviation = ring[index]! - origin
      sum += deviation
      squares += deviation * deviation
    }
    gathered = squares
    return Math.sqrt(squares * share)
  }

  /** The window alone, from its oldest value on. */
  const alone = (): number => {
    let total = 0
    for (let index = at; index < period; index++) total += ring[index]!
    for (let index = 0; index < at; index++) total += ring[index]!
    const mean = total / period
    let around = 0
    for (let index = 0; index < period; index++) {
      const slot = at + index
      const deviation = ring[slot < period ? slot : slot - period]! - mean
      around += deviation * deviation
    }
    return Math.sqrt(around * share)
  }

  return (value) => {
    if (Number.isNaN(value)) {
      count = 0
      at = 0
      return Number.NaN
    }
    const entering = value - origin
    const leaving = ring[at]! - origin
    ring[at] = value
    at = at + 1 === period ? 0 : at + 1
    if (count < period) count++
    if (count < period) return Number.NaN
    if (at === 0) return anew()
    const square = entering * entering
    sum += entering - leaving
    squares += square - leaving * leaving
    gathered += square
    const left = squares - sum * sum * share
    return isCancelled(left, gathered) ? alone() : Math.sqrt(left * share)
  }
}

/** A queue of candidates for the extreme of a window, each better than all after it. */
const extremeStep = (period: number, sign: 1 | -1): RollingStep => {
  const values = new Float64Array(period)
  const positions = new Float64Array(period)
  let head = 0
  let size = 0
  let position = 0
  return (value) => {
    if (Number.isNaN(value)) {
      size = 0
      position = 0
      return Number.NaN
    }
    // The value that leaves the window goes first: it would be overwritten where the ring is full.
    if (size > 0 && positions[head]! <= position - period) {
      head = (head + 1) % period
      size--
    }
    while (size > 0 && (values[(head + size - 1) % period]! - value) * sign <= 0) size--
    const tail = (head + size) % period
    values[tail] = value
    positions[tail] = position
    size++
    position++
    return position < period ? Number.NaN : values[head]!
  }
}

/** Highest of the last `period` values. @category indicators @since 0.1.0 */
export const highestStep = (period: number): RollingStep => extremeStep(period, 1)

/** Lowest of the last `period` values. @category indicators @since 0.1.0 */
export const lowestStep = (period: number): RollingStep => extremeStep(period, -1)

/**
 * The value below which the fraction `rank` of the last `period` values lies, interpolated.
 *
 * @category indicators
 * @since 0.1.0
 */
export const percentileStep = (period: number, rank: number): RollingStep => {
  const sorted = new Float64Array(period)
  return windowStep(period, (ring) => {
    sorted.set(ring)
    sorted.sort()
    const place = rank * (period - 1)
    const below = Math.floor(place)
    const low = sorted[below]!
    return below + 1 < period ? low + (place - below) * (sorted[below + 1]! - low) : low
  })
}

/** The value of `by` candles ago. @category indicators @since 0.1.0 */
export const shiftStep = (by: number): RollingStep => {
  if (by === 0) return (value) => value
  const ring = new Float64Array(by).fill(Number.NaN)
  let at = 0
  return (value) => {
    const before = ring[at]!
    ring[at] = value
    at = at + 1 === by ? 0 : at + 1
    return before
  }
}
