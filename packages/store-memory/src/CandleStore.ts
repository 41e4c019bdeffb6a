/**
 * Keeps candles in memory.
 *
 * @since 0.1.0
 */
import { CandleStore, copyColumns, type OwnedSeriesKey, timeframeNames } from "@candlewick/core"
import { indexAt, sliceColumns } from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { keyOf } from "./internal/Collection.ts"
import { Database } from "./internal/Database.ts"
import { frozenCopy } from "./internal/frozenCopy.ts"

/** By owner, symbol and then from the shortest timeframe to the longest. */
const keyOfSeries = ({ owner, symbol, timeframe }: OwnedSeriesKey): string =>
  keyOf(owner, symbol, String(timeframeNames.indexOf(timeframe)).padStart(2, "0"))

/**
 * `CandleStore` over the shared memory.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<CandleStore, never, Database> = Layer.effect(
  CandleStore,
  Effect.map(Database, (database) => ({
    put: (series, columns) =>
      database.write((tables) => {
        tables.series = tables.series.put(keyOfSeries(series), {
          series: frozenCopy(series),
          columns: copyColumns(columns)
        })
      }),
    load: (key, range = {}) =>
      database.read(({ series }) =>
        Option.map(Option.fromUndefinedOr(series.get(keyOfSeries(key))), ({ columns }) => {
          const from = range.from === undefined ? 0 : indexAt(columns, range.from)
          const to = range.to === undefined ? columns.length : indexAt(columns, range.to)
          // A copy: numbers in a typed array can't be frozen.
          return copyColumns(sliceColumns(columns, from, to))
        })
      ),
    describe: (key) =>
      database.read((tables) =>
        Option.map(
          Option.fromUndefinedOr(tables.series.get(keyOfSeries(key))),
          ({ series }) => series
        )
      ),
    list: (owner) =>
      database.read((tables) =>
        Array.from(
          tables.series.rising(`${owner}\u0000`, `${owner}\u0001`),
          ([, { series }]) => series
        )
      ),
    lastRevision: (key) =>
      database.read(({ removedSeries, series }) => {
        const stored = series.get(keyOfSeries(key))
        const revision = stored === undefined ? 0 : (stored.series.revision ?? 1)
        return Math.max(revision, removedSeries.get(keyOfSeries(key)) ?? 0)
      }),
    remove: (key) =>
      database.write((tables) => {
        const id = keyOfSeries(key)
        const stored = tables.series.get(id)
        if (stored === undefined) return
        tables.series = tables.series.remove(id)
        tables.removedSeries = tables.removedSeries.put(id, stored.series.revision ?? 1)
      })
  }))
)
