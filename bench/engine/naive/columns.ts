/**
 * Indicators as plain loops over whole columns, in the conventions of the catalogue. Averages of
 * Wilder and exponential ones are seeded with the mean of their first values. All are NaN while
 * warming up.
 *
 * Each writes into the columns that it is given, or into new ones, and needs no others beside them.
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
export const naiveSma = (
  values: Float64Array,
  period: number,
  column: Float64Array = new Float64Array(values.length)
): Float64Array => {
  const sum = makeSum()
  for (let index = 0; index < values.length; index++) {
    sum.add(values[index]!)
    if (index >= period) sum.add(-values[index - period]!)
    column[index] = index >= period - 1 ? sum.total() / period : Number.NaN
  }
  return column
}

/**
 * An average that gives the newest value the weight `weight`, from the first number on. The column
 * may be that of the values: each is read before it is written.
 */
const smoothed = (
  values: Float64Array,
  period: number,
  weight: number,
  column: Float64Array
): Float64Array => {
  let first = 0
  while (first < values.length && Number.isNaN(values[first]!)) first++
  const seeded = first + period - 1
  if (seeded >= values.length) return column.fill(Number.NaN)
  let average = 0
  for (let index = first; index <= seeded; index++) average += values[index]!
  average /= period
  column.fill(Number.NaN, 0, seeded)
  column[seeded] = average
  for (let index = seeded + 1; index < values.length; index++) {
    average += weight * (values[index]! - average)
    column[index] = average
  }
  return column
}

/** Exponential moving average. */
export const naiveEma = (
  values: Float64Array,
  period: number,
  column: Float64Array = new Float64Array(values.length)
): Float64Array => smoothed(values, period, 2 / (period + 1), column)

/** Relative strength index of Wilder. */
export const naiveRsi = (
  close: Float64Array,
  period: number,
  column: Float64Array = new Float64Array(close.length)
): Float64Array => {
  const weight = 1 / period
  let gain = 0
  let loss = 0
  column.fill(Number.NaN, 0, period)
  for (let index = 1; index < close.length; index++) {
    const change = close[index]! - close[index - 1]!
    const up = Math.max(change, 0)
    const down = Math.max(-change, 0)
    if (index > period) {
      gain += weight * (up - gain)
      loss += weight * (down - loss)
    } else {
      gain += up
      loss += down
    }
    if (index === period) {
      gain /= period
      loss /= period
    }
    const sum = gain + loss
    if (index >= period) column[index] = sum === 0 ? 0 : (100 * gain) / sum
  }
  return column
}

/** Average true range of Wilder. */
export const naiveAtr = (
  high: Float64Array,
  low: Float64Array,
  close: Float64Array,
  period: number,
  column: Float64Array = new Float64Array(close.length)
): Float64Array => {
  column[0] = Number.NaN
  for (let index = 1; index < close.length; index++) {
    const before = close[index - 1]!
    column[index] = Math.max(
      high[index]! - low[index]!,
      Math.abs(high[index]! - before),
      Math.abs(low[index]! - before)
    )
  }
  return smoothed(column, period, 1 / period, column)
}

/** The columns of Bollinger bands. */
export interface NaiveBands {
  readonly upper: Float64Array
  readonly middle: Float64Array
  readonly lower: Float64Array
}

const makeBands = (length: number): NaiveBands => ({
  upper: new Float64Array(length),
  middle: new Float64Array(length),
  lower: new Float64Array(length)
})

/** Bollinger bands; mean and deviation of each window from scratch. */
export const naiveBollinger = (
  close: Float64Array,
  period: number,
  deviations: number,
  { lower, middle, upper }: NaiveBands = makeBands(close.length)
): NaiveBands => {
  for (const band of [upper, middle, lower]) band.fill(Number.NaN, 0, period - 1)
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

/** The columns of a moving average convergence divergence. */
export interface NaiveMacd {
  readonly macd: Float64Array
  readonly signal: Float64Array
  readonly histogram: Float64Array
}

const makeMacd = (length: number): NaiveMacd => ({
  macd: new Float64Array(length),
  signal: new Float64Array(length),
  histogram: new Float64Array(length)
})

/** Moving average convergence divergence. */
export const naiveMacd = (
  close: Float64Array,
  fast: number,
  slow: number,
  signalPeriod: number,
  { histogram, macd, signal } = makeMacd(close.length)
): NaiveMacd => {
  // The averages are there before what takes their places.
  naiveEma(close, fast, macd)
  naiveEma(close, slow, signal)
  for (let index = 0; index < close.length; index++) macd[index] = macd[index]! - signal[index]!
  naiveEma(macd, signalPeriod, signal)
  for (let index = 0; index < close.length; index++)
    histogram[index] = macd[index]! - signal[index]!
  return { macd, signal, histogram }
}

/** Change since `period` candles ago, in percent of the value then. */
export const naiveRoc = (close: Float64Array, period: number): Float64Array =>
  close.map((value, index) =>
    index < period ? Number.NaN : 100 * (value / close[index - period]! - 1)
  )
