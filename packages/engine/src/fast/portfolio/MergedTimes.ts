/**
 * The times of several markets, merged once for all runs over them.
 *
 * A step is one time at which any of the markets has a candle.
 *
 * @since 0.1.0
 */
import type { CandleColumns } from "../../kernel/columns.ts"
import { dayMs, dayOf } from "../../kernel/calendar.ts"

/** A market's candles, and the first of them that counts. */
export interface TimedMarket {
  readonly columns: CandleColumns
  readonly from: number
}

/** Where the candles of a market lie among the steps; null where both go together. */
interface Steps {
  /** Of each candle that counts, its step. */
  readonly ofCandle: Int32Array
  /** Of each step, and after the last one, the first candle that is not before it. */
  readonly nextCandle: Int32Array
}

/** Merged times, and the closes of each market at them. */
export class MergedTimes {
  /** Open time of each step. */
  readonly time: Float64Array
  /** The number of steps. */
  readonly count: number
  /** Whether every market has a candle at each step. */
  readonly isShared: boolean
  /** The last step of each UTC day that has one. */
  readonly dayEnds: Int32Array
  /** Of each market, its last close at each step; NaN before its first candle. */
  readonly closes: ReadonlyArray<Float64Array>
  readonly #from: ReadonlyArray<number>
  readonly #steps: ReadonlyArray<Steps> | null

  constructor(markets: ReadonlyArray<TimedMarket>) {
    this.#from = markets.map(({ from }) => from)
    this.isShared = areShared(markets)
    const [first] = markets
    this.time = this.isShared
      ? first!.columns.time.subarray(first!.from, first!.columns.length)
      : mergeTimes(markets)
    this.count = this.time.length
    this.dayEnds = dayEndsOf(this.time)
    this.#steps = this.isShared ? null : markets.map((market) => stepsOf(market, this.time))
    this.closes = markets.map(({ columns, from }, market) =>
      this.#steps === null
        ? columns.close.subarray(from, columns.length)
        : closesAt(columns, from, this.#steps[market]!.nextCandle, this.time)
    )
  }

  /** The first candle of a market that is not before a step. */
  nextCandle(market: number, step: number): number {
    return this.#steps === null
      ? this.#from[market]! + step
      : this.#steps[market]!.nextCandle[step]!
  }

  /** The step of a candle that counts. */
  stepOf(market: number, candle: number): number {
    const at = candle - this.#from[market]!
    return this.#steps === null ? at : this.#steps[market]!.ofCandle[at]!
  }
}

/** The last index of each UTC day that has one; a day is guessed as long as the one before. */
const dayEndsOf = (time: Float64Array): Int32Array => {
  const { length } = time
  const ends: Array<number> = []
  let size = 1
  for (let from = 0; from < length; from += size) {
    const end = (dayOf(time[from]!) + 1) * dayMs
    const guess = from + size
    const isRight = guess <= length && time[guess - 1]! < end && !(time[guess]! < end)
    let next = isRight ? guess : from + 1
    if (!isRight) while (next < length && time[next]! < end) next++
    ends.push(next - 1)
    size = next - from
  }
  return Int32Array.from(ends)
}

const areShared = (markets: ReadonlyArray<TimedMarket>): boolean => {
  const [{ columns, from }] = markets as readonly [TimedMarket]
  const count = columns.length - from
  return markets.every(({ columns: other, from: begin }) => {
    if (other.length - begin !== count) return false
    if (other.time === columns.time && begin === from) return true
    let at = 0
    while (at < count && other.time[begin + at] === columns.time[from + at]) at++
    return at === count
  })
}

const mergeTimes = (markets: ReadonlyArray<TimedMarket>): Float64Array => {
  const cursors = markets.map(({ from }) => from)
  const times = new Float64Array(
    markets.reduce((sum, { columns, from }) => sum + columns.length - from, 0)
  )
  let count = 0
  for (;;) {
    let now = Infinity
    for (let market = 0; market < markets.length; market++) {
      const { length, time } = markets[market]!.columns
      const at = cursors[market]!
      if (at < length && time[at]! < now) now = time[at]!
    }
    if (now === Infinity) return times.slice(0, count)
    times[count++] = now
    for (let market = 0; market < markets.length; market++) {
      if (markets[market]!.columns.time[cursors[market]!] === now) cursors[market]!++
    }
  }
}

const stepsOf = ({ columns, from }: TimedMarket, times: Float64Array): Steps => {
  const { length, time } = columns
  const ofCandle = new Int32Array(length - from)
  const nextCandle = new Int32Array(times.length + 1)
  let at = from
  for (let step = 0; step < times.length; step++) {
    nextCandle[step] = at
    if (at < length && time[at] === times[step]) ofCandle[at++ - from] = step
  }
  nextCandle[times.length] = at
  return { ofCandle, nextCandle }
}

const closesAt = (
  { close, length, time }: CandleColumns,
  from: number,
  nextCandle: Int32Array,
  times: Float64Array
): Float64Array => {
  const closes = new Float64Array(times.length)
  for (let step = 0; step < closes.length; step++) {
    const next = nextCandle[step]!
    const isShown = next < length && time[next] === times[step]
    const last = isShown ? next : next - 1
    closes[step] = last < from ? Number.NaN : close[last]!
  }
  return closes
}
