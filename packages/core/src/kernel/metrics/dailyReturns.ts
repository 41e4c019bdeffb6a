/**
 * Returns of equity over the periods that metrics are annualised from.
 *
 * @since 0.1.0
 */

const dayMs = 86_400_000

/**
 * Equity at each UTC day's end, or at each candle where candles are a day or longer.
 *
 * @category metrics
 * @since 0.1.0
 */
export const equityByDay = (time: Float64Array, equity: Float64Array): Float64Array => {
  const days = new Float64Array(equity.length)
  let count = 0
  for (let index = 0; index < equity.length; index++) {
    const day = Math.floor(time[index]! / dayMs)
    const isLastOfDay = index + 1 === equity.length || Math.floor(time[index + 1]! / dayMs) !== day
    if (isLastOfDay) days[count++] = equity[index]!
  }
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
  for (let index = 0; index < time.length; index++) {
    // 1970-01-01 was a Thursday.
    const weekday = (Math.floor(time[index]! / dayMs) + 3) % 7
    if (weekday >= 5) weekend++
  }
  const spacings = Float64Array.from(
    { length: time.length - 1 },
    (_, index) => time[index + 1]! - time[index]!
  ).sort()
  const spacing = spacings[spacings.length >> 1]!
  if (spacing > dayMs) return (365.25 * dayMs) / spacing
  return weekend > time.length * 0.1 ? 365 : 252
}
