/**
 * Candles in SQL, as chunks of columns, and markets.
 *
 * @since 0.1.0
 */
import {
  type CandleColumns,
  CandleSeries,
  CandleStore,
  indexAt,
  Market,
  type SeriesKey,
  sliceColumns,
  timeframeNames
} from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import {
  assembleChunks,
  type CandleChunk,
  chunksOf,
  type StoredChunk
} from "./internal/candleChunks.ts"
import { decoderOf } from "./internal/decoderOf.ts"
import { jsonText } from "./internal/jsonText.ts"
import { longPatienceMs, toStoreError } from "./internal/toStoreError.ts"

interface RecordRow {
  readonly record: unknown
}

/** A chunk of a series, or nulls where the series has none in the range. */
type ChunkRow = StoredChunk | { readonly [Field in keyof StoredChunk]: null }

const chunksIn = (rows: ReadonlyArray<ChunkRow>): ReadonlyArray<StoredChunk> =>
  rows.filter((row): row is StoredChunk => row.columns !== null)

const decodeSeries = decoderOf(CandleSeries)
const decodeMarket = decoderOf(Market)
const toSeries = ({ record }: RecordRow): CandleSeries => decodeSeries(record)
const toMarket = ({ record }: RecordRow): Market => decodeMarket(record)

/** How many chunks are written by one statement: about 3 MB. */
const chunksPerStatement = 16

const { MAX_SAFE_INTEGER: maxMs } = Number
const toBound = (ms: number): number => Math.max(-maxMs, Math.min(maxMs, Math.ceil(ms)))

const isSame = (one: Uint8Array | undefined, other: Uint8Array): boolean =>
  one !== undefined && Buffer.compare(one, other) === 0

/** A `CandleStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  CandleStore,
  Effect.map(SqlClient.SqlClient, (sql) => CandleStore.of({ ...seriesOf(sql), ...marketsOf(sql) }))
)

/** The rows of one series. */
const ofSeries = (sql: SqlClient.SqlClient, { symbol, timeframe }: SeriesKey) =>
  sql`symbol = ${symbol} and timeframe = ${timeframe}`

/** Writes a series' chunks, and only those that differ from the stored ones. */
function chunkWriter(sql: SqlClient.SqlClient) {
  const writeChunks = ({ symbol, timeframe }: SeriesKey, chunks: ReadonlyArray<CandleChunk>) => {
    const [first, ...rest] = chunks.map((chunk) => ({ symbol, timeframe, ...chunk }))
    if (first === undefined) return Effect.void
    return sql`insert into candle_chunks ${sql.insert([first, ...rest])}
      on conflict (symbol, timeframe, starts_ms) do update set
        first_ms = excluded.first_ms,
        last_ms = excluded.last_ms,
        candle_count = excluded.candle_count,
        layout = excluded.layout,
        checksum = excluded.checksum,
        columns = excluded.columns`
  }

  /** Writes the chunks that are not there yet as they are, and removes those that are no more. */
  const replaceChunks = Effect.fnUntraced(function* (key: SeriesKey, columns: CandleColumns) {
    const rows = yield* sql<{ readonly starts: number; readonly checksum: Uint8Array }>`
      select starts_ms::float8 as starts, checksum from candle_chunks where ${ofSeries(sql, key)}`
    const stored = new Map(rows.map(({ checksum, starts }) => [starts, checksum]))
    let changed: Array<CandleChunk> = []
    for (const chunk of chunksOf(key.timeframe, columns)) {
      if (!isSame(stored.get(chunk.starts_ms), chunk.checksum)) changed.push(chunk)
      stored.delete(chunk.starts_ms)
      if (changed.length < chunksPerStatement) continue
      yield* writeChunks(key, changed)
      changed = []
    }
    yield* writeChunks(key, changed)
    if (stored.size > 0) {
      yield* sql`delete from candle_chunks
        where ${ofSeries(sql, key)} and starts_ms = any(${[...stored.keys()].map(String)}::text[]::bigint[])`
    }
  })

  return { replaceChunks }
}

function seriesOf(
  sql: SqlClient.SqlClient
): Pick<CandleStore["Service"], "put" | "load" | "describe" | "list" | "remove"> {
  const { replaceChunks } = chunkWriter(sql)
  const isOf = (key: SeriesKey) => ofSeries(sql, key)

  return {
    put: (series, columns) =>
      toStoreError(
        sql.withTransaction(
          Effect.gen(function* () {
            const { symbol, timeframe } = series
            // Whoever writes the same series at the same time waits here.
            yield* sql`insert into candle_series
              ${sql.insert({ symbol, timeframe, record: jsonText(series) })}
              on conflict (symbol, timeframe) do update set record = excluded.record`
            yield* replaceChunks(series, columns)
          })
        ),
        longPatienceMs
      ),
    load: (key, { from, to } = {}) =>
      toStoreError(
        Effect.flatMap(
          sql<ChunkRow>`select layout, candle_count, checksum, columns
            from (select symbol, timeframe from candle_series where ${isOf(key)}) as series
            left join (
              select * from candle_chunks
              where last_ms >= ${toBound(from ?? -maxMs)} and first_ms < ${toBound(to ?? maxMs)}
            ) as chunks using (symbol, timeframe)
            order by starts_ms`,
          (rows) => {
            if (rows.length === 0) return Effect.succeedNone
            return Effect.map(assembleChunks(key, chunksIn(rows)), (columns) =>
              Option.some(
                sliceColumns(
                  columns,
                  from === undefined ? 0 : indexAt(columns, from),
                  to === undefined ? columns.length : indexAt(columns, to)
                )
              )
            )
          }
        ),
        longPatienceMs
      ),
    describe: (key) =>
      toStoreError(
        Effect.map(sql<RecordRow>`select record from candle_series where ${isOf(key)}`, ([row]) =>
          Option.map(Option.fromUndefinedOr(row), toSeries)
        )
      ),
    list: toStoreError(
      Effect.map(
        sql<RecordRow>`select record from candle_series
          order by symbol, array_position(${timeframeNames}::text[], timeframe)`,
        (rows) => rows.map(toSeries)
      )
    ),
    remove: (key) => Effect.asVoid(toStoreError(sql`delete from candle_series where ${isOf(key)}`))
  }
}

function marketsOf(
  sql: SqlClient.SqlClient
): Pick<CandleStore["Service"], "putMarket" | "getMarket" | "listMarkets"> {
  return {
    putMarket: (market) =>
      Effect.asVoid(
        toStoreError(
          sql`insert into markets
            ${sql.insert({ symbol: market.symbol, record: jsonText(market) })}
            on conflict (symbol) do update set record = excluded.record`
        )
      ),
    getMarket: (symbol) =>
      toStoreError(
        Effect.map(sql<RecordRow>`select record from markets where symbol = ${symbol}`, ([row]) =>
          Option.map(Option.fromUndefinedOr(row), toMarket)
        )
      ),
    listMarkets: toStoreError(
      Effect.map(sql<RecordRow>`select record from markets order by symbol`, (rows) =>
        rows.map(toMarket)
      )
    )
  }
}
