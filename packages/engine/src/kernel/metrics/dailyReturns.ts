/**
 * Returns of equity over the periods that metrics are annualised from.
 *
 * @since 0.1.0
 */
import { dayMs, dayOf, weekdayOf } from "../calendar.ts"

/** The end of the UTC day of a time. @category metrics @since 0.1.0 */
export const endOfDay = (time: number): number => (dayOf(time) + 1) * dayMs

/** Whether a time is on a Saturday or Sunday, UTC. @category metrics @since 0.1.0 */
export const isOnWeekend = (time: number): boolean => weekdayOf(time) >= 5

/**
 * Return periods a year, of candles at this spacing with so many on weekends.
 *
 * @category metrics
 * @since 0.1.0
 */
export const periodsOf = (count: number, weekendCount: number, spacing: number): number => {
  if (spacing > dayMs) return (365.25 * dayMs) / spacing
  return weekendCount > count * 0.1 ? 365 : 252
}

/** Whether half of the times, or more, are so far after the one before them. */
const areMostApart = (time: Float64Array, spacing: number): boolean => {
  let left = Math.ceil(time.length / 2)
  for (let index = 1; index < time.length && left > 0; index++) {
    const apart = time[index]! - time[index - 1]!
    if (apart === spacing) left--
  }
  return left === 0
}

/** The spacing in the middle of all; where most are as the first, they need not be sorted. */
const medianSpacing = (time: Float64Array): number => {
  const first = time[1]! - time[0]!
  if (areMostApart(time, first)) return first
  const spacings = new Float64Array(time.length - 1)
  for (let index = 1; index < time.length; index++) {
    spacings[index - 1] = time[index]! - time[index - 1]!
  }
  return spacings.sort()[spacings.length >> 1]!
}

/**
 * Index of the first time from this one on that is not before `end`; a good guess is quick.
 *
 * @category metrics
 * @since 0.1.0
 */
export const firstFrom = (time: Float64Array, from: number, end: number, guess: number): number => {
  const { length } = time
  if (guess <= length && time[guess - 1]! < end && (guess === length || time[guess]! >= end)) {
    return guess
  }
  let index = from
  while (index < length && time[index]! < end) index++
  return index
}

/**
 * Equity at each UTC day's end, or at each candle where candles are a day or longer.
 *
 * @category metrics
 * @since 0.1.0
 */
export const equityByDay = (time: Float64Array, equity: Float64Array): Float64Array => {
  const { length } = equity
  if (length === 0) return new Float64Array(0)
  const days: Array<number> = []
  let size = 0
  for (let from = 0; from < length; from += size) {
    const next = firstFrom(time, from, endOfDay(time[from]!), from + Math.max(1, size))
    size = next - from
    days.push(equity[next - 1]!)
  }
  return Float64Array.from(days)
}

/** Simple returns from `initial` through each value. @category metrics @since 0.1.0 */
export const simpleReturns = (initial: number, values: Float64Array): Float64Array => {
  const returns = new Float64Array(values.length)
  let before = initial
  for (let index = 0; index < values.length; index++) {
    returns[index] = values[index]! / before - 1
    before = values[index]!
  }
  return returns
}

/**
 * Returns of equity at each UTC day's end, from the initial equity on.
 *
 * @category metrics
 * @since 0.1.0
 */
export const dailyReturns = (
  time: Float64Array,
  equity: Float64Array,
  initial: number
): Float64Array => simpleReturns(initial, equityByDay(time, equity))

/**
 * The number of return periods in a year: 365 where there are candles on weekends, else 252; fewer
 * for longer candles.
 *
 * @category metrics
 * @since 0.1.0
 */
export const periodsPerYear = (time: Float64Array): number => {
  if (time.length < 2) return 365
  let weekend = 0
  let size = 0
  for (let from = 0; from < time.length; from += size) {
    const next = firstFrom(time, from, endOfDay(time[from]!), from + Math.max(1, size))
    size = next - from
    if (isOnWeekend(time[from]!)) weekend += size
  }
  return periodsOf(time.length, weekend, medianSpacing(time))
}
