/**
 * Candles on every database: the suite, and what is particular to chunks.
 */
import { CandleStore, timeframeMs } from "@candlewick/core"
import { sliceColumns } from "@candlewick/core/kernel"
import { CandleStoreSuite, randomWalk, seriesRecord } from "@candlewick/core/testing"
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Option } from "effect"
import { SqlClient } from "effect/sql"
import { candlesPerSpan } from "../src/internal/candleChunks.ts"
import { onEveryStore } from "./databases/onEveryDatabase.ts"

onEveryStore("CandleStore", (name, stores) => CandleStoreSuite.suite(name, stores))

const columns = randomWalk(1, {
  count: 3 * candlesPerSpan,
  startMs: 100 * candlesPerSpan * timeframeMs("1h")
})

/** Where each chunk of a series stands: one that is written again stands elsewhere. */
const places = (symbol: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly place: string }>`select ctid::text || xmin::text as place
      from candle_chunks where symbol = ${symbol} order by starts_ms`
  )

onEveryStore("chunks of candles", (name, stores) => {
  layer(stores)(name, (it) => {
    it.effect("are left as they are where a series grows elsewhere", () =>
      Effect.gen(function* () {
        const { put } = yield* CandleStore
        const series = seriesRecord()
        yield* put(series, sliceColumns(columns, 0, columns.length - 9))
        const before = yield* places(series.symbol)
        yield* put(series, columns)
        const after = yield* places(series.symbol)
        assert.lengthOf(after, 3)
        assert.deepStrictEqual(after.slice(0, 2), before.slice(0, 2))
        assert.notDeepEqual(after[2], before[2])
        yield* put(series, columns)
        assert.deepStrictEqual(yield* places(series.symbol), after)
      })
    )

    it.effect("go where the candles of their span are no more", () =>
      Effect.gen(function* () {
        const { load, put, remove } = yield* CandleStore
        const series = seriesRecord()
        yield* put(series, columns)
        const rest = sliceColumns(columns, 2 * candlesPerSpan)
        yield* put(series, rest)
        assert.lengthOf(yield* places(series.symbol), 1)
        assert.deepStrictEqual(Option.getOrThrow(yield* load(series)).time, rest.time.slice())
        yield* remove(series)
        assert.lengthOf(yield* places(series.symbol), 0)
      })
    )

    it.effect("are whole when several write one series at the same time", () =>
      Effect.gen(function* () {
        const { load, put } = yield* CandleStore
        const series = seriesRecord()
        const ends = [5, 2_000, candlesPerSpan + 1, columns.length]
        yield* Effect.forEach(ends, (end) => put(series, sliceColumns(columns, 0, end)), {
          concurrency: "unbounded"
        })
        const kept = Option.getOrThrow(yield* load(series))
        assert.include(ends, kept.length)
        assert.deepStrictEqual(kept.close, columns.close.slice(0, kept.length))
      })
    )

    it.effect("are not given out where they were damaged", () =>
      Effect.gen(function* () {
        const { load, put, remove } = yield* CandleStore
        const sql = yield* SqlClient.SqlClient
        const series = seriesRecord()
        yield* put(series, sliceColumns(columns, 0, 10))
        yield* sql`update candle_chunks set columns = set_byte(columns, 99, 7)
          where symbol = ${series.symbol}`
        const exit = yield* Effect.exit(load(series))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
        assert.include(String(exit), `a chunk of ${series.symbol} 1h can't be read`)
        yield* remove(series)
        yield* put(series, sliceColumns(columns, 0, 10))
        assert.strictEqual(Option.getOrThrow(yield* load(series)).length, 10)
      })
    )
  })
})
