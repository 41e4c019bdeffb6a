/**
 * Candles in SQL, as chunks of columns.
 *
 * @since 0.1.0
 */
import {
  type CandleColumns,
  CandleSeries,
  CandleStore,
  indexAt,
  type OwnedSeriesKey,
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

interface SeriesRow {
  readonly owner: string
  readonly record: unknown
}

/** A chunk of a series, or nulls where the series has none in the range. */
type ChunkRow = StoredChunk | { readonly [Field in keyof StoredChunk]: null }

const chunksIn = (rows: ReadonlyArray<ChunkRow>): ReadonlyArray<StoredChunk> =>
  rows.filter((row): row is StoredChunk => row.columns !== null)

const decodeSeries = decoderOf(CandleSeries)
/** Records of before series had owners don't name them. */
const toSeries = ({ owner, record }: SeriesRow): CandleSeries =>
  decodeSeries({ ...(record as object), owner })

/** The revision of a series that is kept; 0 without a record. SQL can't look into every record. */
const revisionOf = ({ owner }: OwnedSeriesKey, record: unknown): number =>
  record === null ? 0 : (toSeries({ owner, record }).revision ?? 1)

/** How many chunks are written by one statement: about 3 MB. */
const chunksPerStatement = 16

const { MAX_SAFE_INTEGER: maxMs } = Number
const toBound = (ms: number): number => Math.max(-maxMs, Math.min(maxMs, Math.ceil(ms)))

const isSame = (one: Uint8Array | undefined, other: Uint8Array): boolean =>
  one !== undefined && Buffer.compare(one, other) === 0

/** A `CandleStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  CandleStore,
  Effect.map(SqlClient.SqlClient, (sql) => CandleStore.of(seriesOf(sql)))
)

/** The rows of one series. */
const ofSeries = (sql: SqlClient.SqlClient, { owner, symbol, timeframe }: OwnedSeriesKey) =>
  sql`owner = ${owner} and symbol = ${symbol} and timeframe = ${timeframe}`

/** Writes a series' chunks, and only those that differ from the stored ones. */
function chunkWriter(sql: SqlClient.SqlClient) {
  const writeChunks = (
    { owner, symbol, timeframe }: OwnedSeriesKey,
    chunks: ReadonlyArray<CandleChunk>
  ) => {
    const [first, ...rest] = chunks.map((chunk) => ({ owner, symbol, timeframe, ...chunk }))
    if (first === undefined) return Effect.void
    return sql`insert into candle_chunks ${sql.insert([first, ...rest])}
      on conflict (owner, symbol, timeframe, starts_ms) do update set
        first_ms = excluded.first_ms,
        last_ms = excluded.last_ms,
        candle_count = excluded.candle_count,
        layout = excluded.layout,
        checksum = excluded.checksum,
        columns = excluded.columns`
  }

  /** Writes the chunks that are not there yet as they are, and removes those that are no more. */
  const replaceChunks = Effect.fnUntraced(function* (key: OwnedSeriesKey, columns: CandleColumns) {
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

function seriesOf(sql: SqlClient.SqlClient): CandleStore["Service"] {
  const { replaceChunks } = chunkWriter(sql)
  const isOf = (key: OwnedSeriesKey) => ofSeries(sql, key)

  return {
    put: (series, columns) =>
      toStoreError(
        sql.withTransaction(
          Effect.gen(function* () {
            const { owner, symbol, timeframe } = series
            // Writers of the same series at the same time wait here.
            yield* sql`insert into candle_series
              ${sql.insert({ owner, symbol, timeframe, record: jsonText(series) })}
              on conflict (owner, symbol, timeframe) do update set record = excluded.record`
            yield* replaceChunks(series, columns)
          })
        ),
        longPatienceMs
      ),
    load: (key, { from, to } = {}) =>
      toStoreError(
        Effect.flatMap(
          sql<ChunkRow>`select layout, candle_count, checksum, columns
            from (select owner, symbol, timeframe from candle_series where ${isOf(key)}) as series
            left join (
              select * from candle_chunks
              where last_ms >= ${toBound(from ?? -maxMs)} and first_ms < ${toBound(to ?? maxMs)}
            ) as chunks using (owner, symbol, timeframe)
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
        Effect.map(
          sql<SeriesRow>`select owner, record from candle_series where ${isOf(key)}`,
          ([row]) => Option.map(Option.fromUndefinedOr(row), toSeries)
        )
      ),
    list: (owner) =>
      toStoreError(
        Effect.map(
          sql<SeriesRow>`select owner, record from candle_series where owner = ${owner}
            order by symbol, array_position(${timeframeNames}::text[], timeframe)`,
          (rows) => rows.map(toSeries)
        )
      ),
    ...removalsOf(sql)
  }
}

/** Removes series, and counts their revisions on. */
function removalsOf(
  sql: SqlClient.SqlClient
): Pick<CandleStore["Service"], "lastRevision" | "remove"> {
  const isOf = (key: OwnedSeriesKey) => ofSeries(sql, key)
  return {
    lastRevision: (key) =>
      toStoreError(
        Effect.map(
          sql<{ readonly record: unknown; readonly removed: number | null }>`select
            (select record from candle_series where ${isOf(key)}) as record,
            (select revision from removed_series where ${isOf(key)}) as removed`,
          ([row]) => Math.max(revisionOf(key, row?.record ?? null), row?.removed ?? 0)
        )
      ),
    remove: (key) =>
      toStoreError(
        sql.withTransaction(
          Effect.gen(function* () {
            const { owner, symbol, timeframe } = key
            const [row] = yield* sql<SeriesRow>`delete from candle_series where ${isOf(key)}
              returning owner, record`
            if (row === undefined) return
            const revision = revisionOf(key, row.record)
            yield* sql`insert into removed_series
              ${sql.insert({ owner, symbol, timeframe, revision })}
              on conflict (owner, symbol, timeframe) do update set revision = excluded.revision`
          })
        )
      )
  }
}
