/**
 * Returns of equity over the periods that metrics are annualised from.
 *
 * @since 0.1.0
 */
import { dayMs, dayOf, weekdayOf } from "../calendar.ts"

const endOfDay = (time: number): number => (dayOf(time) + 1) * dayMs

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

/** The spacing in the middle of all; where most are as the first, they need not be sorted. */
const medianSpacing = (time: Float64Array): number => {
  const spacingAt = (index: number): number => time[index]! - time[index - 1]!
  const first = spacingAt(1)
  let count = 0
  for (let index = 1; index < time.length; index++) {
    if (spacingAt(index) === first) count++
  }
  if (count * 2 >= time.length) return first
  const spacings = Float64Array.from({ length: time.length - 1 }, (_, at) => spacingAt(at + 1))
  return spacings.sort()[spacings.length >> 1]!
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
  const days = new Float64Array(length)
  let count = 0
  let dayEnd = endOfDay(time[0]!)
  for (let index = 1; index < length; index++) {
    if (time[index]! < dayEnd) continue
    days[count++] = equity[index - 1]!
    dayEnd = endOfDay(time[index]!)
  }
  days[count++] = equity[length - 1]!
  return days.slice(0, count)
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
 * How many return periods a year has: 365 where there are candles on weekends, else 252; fewer for
 * longer candles.
 *
 * @category metrics
 * @since 0.1.0
 */
export const periodsPerYear = (time: Float64Array): number => {
  if (time.length < 2) return 365
  let weekend = 0
  let dayEnd = -Infinity
  let isWeekend = false
  for (let index = 0; index < time.length; index++) {
    if (time[index]! >= dayEnd) {
      dayEnd = endOfDay(time[index]!)
      isWeekend = isOnWeekend(time[index]!)
    }
    if (isWeekend) weekend++
  }
  return periodsOf(time.length, weekend, medianSpacing(time))
}
