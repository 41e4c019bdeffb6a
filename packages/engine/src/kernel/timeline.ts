/**
 * The candles of a simulation in time order: those of one time together, in the order of the
 * markets.
 *
 * @since 0.1.0
 */
import type { CandleInput, CandleSlice } from "./account.ts"
import { type CandleColumns, indexAt } from "./columns.ts"

/** Shorter candles, and how long those last that they tell of. @category models @since 0.1.0 */
export interface CandleDetail {
  readonly columns: CandleColumns
  readonly candleMs: number
}

/** The candles of one market. @category models @since 0.1.0 */
export interface MarketCandles {
  readonly columns: CandleColumns
  /** Shorter candles of the same market, which tell what came first inside a candle. */
  readonly detail?: CandleDetail | undefined
}

/** Candles as they come. @category models @since 0.1.0 */
export interface Timeline {
  /** How many times there are. */
  readonly count: number
  /** The candles of the next time; they change with the call after it. */
  readonly next: () => ReadonlyArray<CandleInput>
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
  return {
    count: countTimes(markets, from),
    hasEnded: (market: number): boolean => cursors[market]! >= markets[market]!.columns.length,
    next: (): ReadonlyArray<CandleInput> => {
      batch.length = 0
      let now = Infinity
      for (let market = 0; market < markets.length; market++) {
        const { columns } = markets[market]!
        const index = cursors[market]!
        if (index < columns.length && columns.time[index]! < now) now = columns.time[index]!
      }
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
  const [only] = markets
  if (markets.length === 1) return only!.columns.length - from[0]!
  const times = new Set<number>()
  markets.forEach(({ columns }, market) => {
    for (let index = from[market]!; index < columns.length; index++) {
      times.add(columns.time[index]!)
    }
  })
  return times.size
}
