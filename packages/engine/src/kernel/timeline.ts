/**
 * The candles of a simulation in time order: candles of one time together, in the order of the
 * markets.
 *
 * @since 0.1.0
 */
import type { CandleInput, CandleSlice } from "./account.ts"
import { type CandleColumns, indexAt } from "./columns.ts"

/**
 * Shorter candles, and the length of the candles that they divide.
 *
 * @category models
 * @since 0.1.0
 */
export interface CandleDetail {
  readonly columns: CandleColumns
  readonly candleMs: number
}

/** The candles of one market. @category models @since 0.1.0 */
export interface MarketCandles {
  readonly columns: CandleColumns
  /** Shorter candles of the same market, which show the order of prices inside a candle. */
  readonly detail?: CandleDetail | undefined
}

/** Candles as they come. @category models @since 0.1.0 */
export interface Timeline {
  /** Whether every market has a candle at each time. */
  readonly isShared: boolean
  /** The number of times. */
  readonly count: number
  /** The candles of the next time; they change with the call after it. */
  readonly next: () => ReadonlyArray<CandleInput>
  /** Goes past so many times, at each of which every market has a candle. */
  readonly skip: (count: number) => void
  /** Whether the candles of a market are over. */
  readonly hasEnded: (market: number) => boolean
}

interface MutableCandle {
  market: number
  time: number
  open: number
  high: number
  low: number
  close: number
  volume: number
  detail: CandleSlice | undefined
}

/** The shorter candles within the one that opens at this time. */
const detailAt = (detail: CandleDetail | undefined, time: number): CandleSlice | undefined => {
  if (detail === undefined) return undefined
  const { candleMs, columns } = detail
  return { columns, from: indexAt(columns, time), to: indexAt(columns, time + candleMs) }
}

/**
 * The candles of markets from an index of each on.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeTimeline = (
  markets: ReadonlyArray<MarketCandles>,
  from: ReadonlyArray<number>
): Timeline => {
  const cursors = [...from]
  const slots: ReadonlyArray<MutableCandle> = markets.map((_, market) => ({
    market,
    time: 0,
    open: 0,
    high: 0,
    low: 0,
    close: 0,
    volume: 0,
    detail: undefined
  }))
  const batch: Array<CandleInput> = []
  const load = (market: number): void => {
    const { columns, detail } = markets[market]!
    const index = cursors[market]!++
    const slot = slots[market]!
    slot.time = columns.time[index]!
    slot.open = columns.open[index]!
    slot.high = columns.high[index]!
    slot.low = columns.low[index]!
    slot.close = columns.close[index]!
    slot.volume = columns.volume[index]!
    slot.detail = detailAt(detail, slot.time)
    batch.push(slot)
  }
  const isShared = areTimesShared(markets, from)
  return {
    isShared,
    count: isShared ? markets[0]!.columns.length - from[0]! : countTimes(markets, from),
    hasEnded: (market: number): boolean => cursors[market]! >= markets[market]!.columns.length,
    skip: (count: number): void => {
      for (let market = 0; market < cursors.length; market++) cursors[market]! += count
    },
    next: (): ReadonlyArray<CandleInput> => {
      batch.length = 0
      const now = earliest(markets, cursors)
      for (let market = 0; market < markets.length; market++) {
        const { columns } = markets[market]!
        const index = cursors[market]!
        if (index < columns.length && columns.time[index] === now) load(market)
      }
      return batch
    }
  }
}

const countTimes = (markets: ReadonlyArray<MarketCandles>, from: ReadonlyArray<number>): number => {
  const cursors = [...from]
  let count = 0
  for (let now = earliest(markets, cursors); now < Infinity; now = earliest(markets, cursors)) {
    count++
    for (let market = 0; market < markets.length; market++) {
      if (markets[market]!.columns.time[cursors[market]!] === now) cursors[market]!++
    }
  }
  return count
}

/** The earliest time to come, or infinity. */
const earliest = (
  markets: ReadonlyArray<MarketCandles>,
  cursors: ReadonlyArray<number>
): number => {
  let now = Infinity
  for (let market = 0; market < markets.length; market++) {
    const { columns } = markets[market]!
    const index = cursors[market]!
    if (index < columns.length && columns.time[index]! < now) now = columns.time[index]!
  }
  return now
}

/**
 * Whether each candle of a market, from where it counts on, has one of every other market at its
 * time.
 */
const areTimesShared = (
  markets: ReadonlyArray<MarketCandles>,
  from: ReadonlyArray<number>
): boolean => {
  const { columns } = markets[0]!
  const first = columns.time.subarray(from[0], columns.length)
  return markets.every(({ columns: { length, time } }, market) => {
    const begin = from[market]!
    if (length - begin !== first.length) return false
    if (time === columns.time && begin === from[0]) return true
    let at = 0
    while (at < first.length && time[begin + at] === first[at]) at++
    return at === first.length
  })
}
