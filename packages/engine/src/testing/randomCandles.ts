/**
 * Seeded candles for tests: random walks with the gaps, spikes, flat stretches and ties of real
 * candles.
 *
 * The candles stay sound under any change. Times rise by whole steps, prices are above zero, and
 * the high and the low hold the open and the close between them.
 *
 * @since 0.1.0
 */
import { hourMs } from "../kernel/calendar.ts"
import { type CandleColumns, columnNames, copyColumns, makeColumns } from "../kernel/columns.ts"
import { makeRandom, type Random } from "../kernel/random.ts"

/** The options of a random walk. @category models @since 0.1.0 */
export interface RandomWalkOptions {
  readonly count: number
  /** From one open time to the next; an hour where it is left out. */
  readonly stepMs?: number
  /** The first open time; the start of 2024 where it is left out. */
  readonly startMs?: number
  /** The first open; 100 where it is left out. */
  readonly price?: number
  /** Standard deviation of a candle's return; 0.01 where it is left out. */
  readonly volatility?: number
  /** Mean of a candle's return; none where it is left out. */
  readonly drift?: number
}

const sizeOf = (random: Random): number => Math.abs(random.normal())

/** A random walk without gaps; equal seeds give equal candles. @category generators @since 0.1.0 */
export const randomWalk = (seed: string | number, options: RandomWalkOptions): CandleColumns => {
  const { count, drift = 0, price = 100, volatility = 0.01 } = options
  const { startMs = Date.UTC(2024, 0, 1), stepMs = hourMs } = options
  const random = makeRandom(`walk/${seed}`)
  const columns = makeColumns(count)
  let last = price
  for (let index = 0; index < count; index++) {
    const open = last * Math.exp(0.1 * volatility * random.normal())
    const close = open * Math.exp(drift + volatility * random.normal())
    columns.time[index] = startMs + index * stepMs
    columns.open[index] = open
    columns.close[index] = close
    columns.high[index] = Math.max(open, close) * Math.exp(0.5 * volatility * sizeOf(random))
    columns.low[index] = Math.min(open, close) * Math.exp(-0.5 * volatility * sizeOf(random))
    columns.volume[index] = 1_000 * Math.exp(random.normal())
    last = close
  }
  return columns
}

/** The candles without those in `[from, from + count)`. @category generators @since 0.1.0 */
export const withGap = (columns: CandleColumns, from: number, count: number): CandleColumns => {
  const start = Math.min(from, columns.length)
  const end = Math.min(from + count, columns.length)
  const rest = makeColumns(columns.length - (end - start))
  for (const name of columnNames) {
    rest[name].set(columns[name].subarray(0, start))
    rest[name].set(columns[name].subarray(end), start)
  }
  return rest
}

/**
 * The candles with one that goes up by a rate and down by it, and comes back.
 *
 * @category generators
 * @since 0.1.0
 */
export const withSpike = (columns: CandleColumns, index: number, rate: number): CandleColumns => {
  const copy = copyColumns(columns)
  copy.high[index] = copy.high[index]! * (1 + rate)
  copy.low[index] = copy.low[index]! / (1 + rate)
  return copy
}

/** The candles with a stretch in which nothing is traded. @category generators @since 0.1.0 */
export const withFlat = (columns: CandleColumns, from: number, count: number): CandleColumns => {
  const copy = copyColumns(columns)
  const price = from === 0 ? copy.open[0] : copy.close[from - 1]
  const end = Math.min(from + count, copy.length)
  for (const name of ["open", "high", "low", "close"] as const) {
    copy[name].fill(price ?? 0, from, end)
  }
  copy.volume.fill(0, from, end)
  return copy
}

/**
 * The candles with prices on steps of a tick, so that many are equal.
 *
 * @category generators
 * @since 0.1.0
 */
export const roundToTicks = (columns: CandleColumns, tick: number): CandleColumns => {
  const copy = copyColumns(columns)
  for (const name of ["open", "high", "low", "close"] as const) {
    copy[name].forEach((price, index) => {
      copy[name][index] = Math.max(1, Math.round(price / tick)) * tick
    })
  }
  return copy
}

/**
 * Candles with some of everything that is hard, as the seed decides.
 *
 * @category generators
 * @since 0.1.0
 */
export const randomCandles = (seed: string | number, options: RandomWalkOptions): CandleColumns => {
  const random = makeRandom(`candles/${seed}`)
  const volatility = options.volatility ?? random.pick([0.0005, 0.005, 0.02, 0.08])
  let columns = randomWalk(seed, { ...options, volatility })
  const place = () => random.integer(0, Math.max(0, columns.length - 1))
  const span = () => random.integer(1, Math.max(1, Math.floor(columns.length / 10)))
  const times = (most: number) => Array.from({ length: random.integer(0, most) })
  if (options.count === 0) return columns
  for (const _ of times(3)) columns = withFlat(columns, place(), span())
  for (const _ of times(3)) columns = withSpike(columns, place(), random.next())
  if (random.next() < 0.5)
    columns = roundToTicks(columns, (options.price ?? 100) * random.pick([1e-4, 0.01]))
  for (const _ of times(2)) {
    // One candle is left at least.
    columns = withGap(columns, 1 + place(), span())
  }
  return columns
}
