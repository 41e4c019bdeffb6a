/**
 * Candles and markets in memory.
 *
 * @since 0.1.0
 */
import {
  type CandleSeries,
  CandleStore,
  type Market,
  type SeriesKey,
  timeframeNames
} from "@candlewick/core"
import { type CandleColumns, copyColumns, indexAt, sliceColumns } from "@candlewick/core/kernel"
import { Effect, Layer, Option } from "effect"
import { MemoryDatabase } from "./internal/MemoryDatabase.ts"

interface StoredSeries {
  readonly series: CandleSeries
  readonly columns: CandleColumns
}

/** Keys sort by symbol and then from the shortest timeframe to the longest. */
const keyOf = ({ symbol, timeframe }: SeriesKey): string =>
  `${symbol} ${String(timeframeNames.indexOf(timeframe)).padStart(2, "0")}`

/** A `CandleStore` in memory; columns are copied in and out. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  CandleStore,
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const stored = database.table<StoredSeries>()
    const markets = database.table<Market>()
    return CandleStore.of({
      put: (series, columns) =>
        database.run(() => stored.put(keyOf(series), { series, columns: copyColumns(columns) })),
      load: (key, range) =>
        database.run(() => {
          const found = stored.get(keyOf(key))
          if (found === undefined) return Option.none()
          const { columns } = found
          const from = range?.from === undefined ? 0 : indexAt(columns, range.from)
          const to = range?.to === undefined ? columns.length : indexAt(columns, range.to)
          return Option.some(copyColumns(sliceColumns(columns, from, to)))
        }),
      describe: (key) => database.run(() => Option.fromUndefinedOr(stored.get(keyOf(key))?.series)),
      list: database.run(() => stored.ascending().map(({ series }) => series)),
      remove: (key) => database.run(() => void stored.delete(keyOf(key))),
      putMarket: (market) => database.run(() => markets.put(market.symbol, market)),
      getMarket: (symbol) => database.run(() => Option.fromUndefinedOr(markets.get(symbol))),
      listMarkets: database.run(() => markets.ascending())
    })
  })
)
