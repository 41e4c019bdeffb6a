/**
 * Indicators as plain loops over whole columns, in the conventions of the catalogue: averages of
 * Wilder and exponential ones are seeded with the mean of their first values; NaN while warming up.
 */

/** A sum that keeps what rounding takes away (Neumaier). */
const makeSum = () => {
  let sum = 0
  let lost = 0
  return {
    add: (value: number): void => {
      const next = sum + value
      lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum
      sum = next
    },
    total: (): number => sum + lost
  }
}

/** Simple moving average. */
export const naiveSma = (values: Float64Array, period: number): Float64Array => {
  const column = new Float64Array(values.length).fill(Number.NaN)
  const sum = makeSum()
  for (let index = 0; index < values.length; index++) {
    sum.add(values[index]!)
    if (index >= period) sum.add(-values[index - period]!)
    if (index >= period - 1) column[index] = sum.total() / period
  }
  return column
}

/** An average that gives the newest value the weight `weight`, from the first number on. */
const smoothed = (values: Float64Array, period: number, weight: number): Float64Array => {
  const column = new Float64Array(values.length).fill(Number.NaN)
  let first = 0
  while (first < values.length && Number.isNaN(values[first]!)) first++
  const seeded = first + period - 1
  if (seeded >= values.length) return column
  let average = 0
  for (let index = first; index <= seeded; index++) average += values[index]!
  average /= period
  column[seeded] = average
  for (let index = seeded + 1; index < values.length; index++) {
    average += weight * (values[index]! - average)
    column[index] = average
  }
  return column
}

/** Exponential moving average. */
export const naiveEma = (values: Float64Array, period: number): Float64Array =>
  smoothed(values, period, 2 / (period + 1))

/** Relative strength index of Wilder. */
export const naiveRsi = (close: Float64Array, period: number): Float64Array => {
  const column = new Float64Array(close.length).fill(Number.NaN)
  const gains = new Float64Array(close.length).fill(Number.NaN)
  const losses = new Float64Array(close.length).fill(Number.NaN)
  for (let index = 1; index < close.length; index++) {
    const change = close[index]! - close[index - 1]!
    gains[index] = Math.max(change, 0)
    losses[index] = Math.max(-change, 0)
  }
  const gain = smoothed(gains, period, 1 / period)
  const loss = smoothed(losses, period, 1 / period)
  for (let index = period; index < close.length; index++) {
    const sum = gain[index]! + loss[index]!
    column[index] = sum === 0 ? 0 : (100 * gain[index]!) / sum
  }
  return column
}

/** Average true range of Wilder. */
export const naiveAtr = (
  high: Float64Array,
  low: Float64Array,
  close: Float64Array,
  period: number
): Float64Array => {
  const ranges = new Float64Array(close.length).fill(Number.NaN)
  for (let index = 1; index < close.length; index++) {
    const before = close[index - 1]!
    ranges[index] = Math.max(
      high[index]! - low[index]!,
      Math.abs(high[index]! - before),
      Math.abs(low[index]! - before)
    )
  }
  return smoothed(ranges, period, 1 / period)
}

/** Bollinger bands; mean and deviation of each window from scratch. */
export const naiveBollinger = (close: Float64Array, period: number, deviations: number) => {
  const upper = new Float64Array(close.length).fill(Number.NaN)
  const middle = new Float64Array(close.length).fill(Number.NaN)
  const lower = new Float64Array(close.length).fill(Number.NaN)
  for (let index = period - 1; index < close.length; index++) {
    let mean = 0
    for (let at = index - period + 1; at <= index; at++) mean += close[at]!
    mean /= period
    let squares = 0
    for (let at = index - period + 1; at <= index; at++) squares += (close[at]! - mean) ** 2
    const room = deviations * Math.sqrt(squares / period)
    upper[index] = mean + room
    middle[index] = mean
    lower[index] = mean - room
  }
  return { upper, middle, lower }
}

/** Moving average convergence divergence. */
export const naiveMacd = (close: Float64Array, fast: number, slow: number, signal: number) => {
  const fastAverage = naiveEma(close, fast)
  const slowAverage = naiveEma(close, slow)
  const macd = fastAverage.map((value, index) => value - slowAverage[index]!)
  const average = naiveEma(macd, signal)
  const histogram = macd.map((value, index) => value - average[index]!)
  return { macd, signal: average, histogram }
}

/** Change since `period` candles ago, in percent of the value then. */
export const naiveRoc = (close: Float64Array, period: number): Float64Array =>
  close.map((value, index) =>
    index < period ? Number.NaN : 100 * (value / close[index - period]! - 1)
  )
