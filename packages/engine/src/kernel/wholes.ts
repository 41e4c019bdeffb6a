/**
 * Prices as whole numbers of their last decimal place, so that sums of them are exact.
 *
 * A price is the nearest double of a decimal. Times a power of ten (the scale) and rounded it is a
 * whole number. Sums of whole numbers are exact in any order, and their average is rounded once. It
 * is the nearest double of the exact one, wherever the series begins. It equals a price of the
 * series where it does on paper, and is on the same side of it elsewhere. Any scale that makes all
 * values whole gives the same average, so it may grow while values come.
 *
 * The first value that is no decimal, or too large for its scale, ends that: from there on doubles
 * are summed. Where it is depends on nothing after it.
 *
 * @since 0.1.0
 */

/** Ten decimal places. */
const scaleMax = 1e10

/**
 * 2^52 + 2^51: a number that is added to it is rounded to a whole one.
 *
 * @category whole numbers
 * @since 0.1.0
 */
export const wholeShift = 6_755_399_441_055_744

/**
 * The largest whole number of which so many may be added up with an exact sum. It may differ from a
 * price in the last place of a double. No one of them is too large to be rounded, be it for
 * `weight` 1.
 *
 * @category whole numbers
 * @since 0.1.0
 */
export const wholeMax = (weight: number): number => 2 ** 52 / (weight + 8)

/**
 * The whole number that a value, or the difference of two, is at a scale.
 *
 * @category whole numbers
 * @since 0.1.0
 */
export const toWhole = (value: number, scale: number): number =>
  value * scale + wholeShift - wholeShift

const isWhole = (value: number, scale: number): boolean => toWhole(value, scale) / scale === value

/**
 * The first scale from `scale` on at which a value is whole, or 0.
 *
 * @category whole numbers
 * @since 0.1.0
 */
export const scaleOf = (value: number, scale: number): number => {
  for (let next = scale; next <= scaleMax; next *= 10) if (isWhole(value, next)) return next
  return 0
}

/**
 * The scale at which a value is whole besides those that were at `scale`, or 0 where none is.
 * `most` is the largest of all, without signs.
 *
 * @category whole numbers
 * @since 0.1.0
 */
export const scaleWith = (value: number, scale: number, most: number, max: number): number => {
  const next = isWhole(value, scale) ? scale : scaleOf(value, scale * 10)
  return most * next <= max ? next : 0
}

/** Index of the first value that is not whole at a scale, or too large. */
const oddChunk = (
  source: Float64Array,
  from: number,
  until: number,
  scale: number,
  max: number
): number => {
  let index = from
  while (index < until) {
    const value = source[index]!
    const scaled = value * scale
    if (!(Math.abs(scaled) <= max)) break
    if ((scaled + wholeShift - wholeShift) / scale !== value) break
    index++
  }
  return index
}

/** Values that a loop looks at: one that is entered often stays compiled. */
const chunkLength = 1_024

/**
 * Index of the first value that is not whole at a scale, or above `max`.
 *
 * @category whole numbers
 * @since 0.1.0
 */
export const oddAt = (
  source: Float64Array,
  from: number,
  end: number,
  scale: number,
  max: number
): number => {
  let at = from
  while (at < end) {
    const until = Math.min(at + chunkLength, end)
    at = oddChunk(source, at, until, scale, max)
    if (at < until) return at
  }
  return end
}

/** Values of a series that are whole numbers. @category models @since 0.1.0 */
export interface WholeStretch {
  readonly scale: number
  readonly end: number
}

const largest = (source: Float64Array, start: number, end: number): number => {
  let most = 0
  for (let index = start; index <= end; index++) most = Math.max(most, Math.abs(source[index]!))
  return most
}

/**
 * The extent to which values from `start` on are whole, where sums of `weight` of them are wanted,
 * and their scale.
 *
 * @category whole numbers
 * @since 0.1.0
 */
export const wholeStretch = (
  source: Float64Array,
  start: number,
  end: number,
  weight: number
): WholeStretch => {
  const max = wholeMax(weight)
  let scale = 1
  let at = start
  while (true) {
    at = oddAt(source, at, end, scale, max)
    if (at >= end) return { scale, end }
    const next = scaleOf(source[at]!, scale)
    // No other scale helps where the value is only too large, and a larger one may be too much for
    // those before it.
    if (next === scale || next === 0) return { scale, end: at }
    if (!(largest(source, start, at) * next <= max)) return { scale, end: at }
    scale = next
  }
}
