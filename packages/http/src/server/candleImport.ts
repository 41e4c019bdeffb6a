/**
 * Reads the candles of a request, in any form in which they are sent.
 *
 * A type that names a format is taken at its word. Under any other, and without one, the first
 * bytes show the kind: curl sends files as forms, and browsers as bytes.
 *
 * @since 0.1.0
 */
import {
  type CandleImport,
  type CandleReading,
  type Fault,
  Limits,
  marketSymbol,
  type Markets,
  Problem,
  readCandleTable,
  type ReadOptions,
  type SeriesKey,
  type StoreError,
  type Timeframe
} from "@candlewick/core"
import { candleFileMagic, columnNames } from "@candlewick/core/kernel"
import { Effect, type Stream } from "effect"
import {
  candleFileMediaType,
  csvMediaType,
  ndjsonMediaType,
  parquetMediaType
} from "../api/CandlesApi.ts"
import { readCandleFileOf } from "./candleFileImport.ts"
import { importTooLarge, limitImport } from "./importBytes.ts"
import { readParquet } from "./parquetImport.ts"
import { beginsWith, sniffBytes } from "./sniffBytes.ts"

/** The candles of a request, and the faults of their rows. @category models @since 0.1.0 */
export interface SentCandles extends CandleImport {
  readonly faults: ReadonlyArray<Fault>
}

/** How candles are asked to be taken. @category models @since 0.1.0 */
export interface ImportQuery extends ReadOptions {
  readonly source?: string
}

/** A request that brings candles. @category models @since 0.1.0 */
export interface ImportRequest<E> {
  readonly accountId: string
  readonly payload: Stream.Stream<Uint8Array, E>
  readonly query: ImportQuery
  readonly headers: Readonly<Record<string, string | undefined>>
}

const formMediaType = "application/x-www-form-urlencoded"
const textMediaTypes: ReadonlyArray<string> = [csvMediaType, ndjsonMediaType]
const parquetMagic = [0x50, 0x41, 0x52, 0x31]

/** How a file was read whose format leaves nothing open. */
const readingOf = (
  format: "parquet" | "candle_file",
  timeframe: Timeframe,
  rowCount: number
): CandleReading => ({
  format,
  packing: "none",
  layout: format,
  has_header: true,
  columns: columnNames.map((field) => ({ field, column: field })),
  ignored_columns: [],
  row_count: rowCount,
  empty_row_count: 0,
  time_unit: null,
  date_order: null,
  zone: null,
  timeframe,
  is_timeframe_found: false,
  row_order: "oldest_first",
  moved_to_day_count: 0,
  ambiguities: [],
  notes: []
})

/** The market that counts for an account, as far as there is one. @category combinators */
export const marketOfAccount = (markets: Markets["Service"], accountId: string, symbol: string) =>
  markets.get(accountId, symbol).pipe(
    Effect.catchIf(
      (error) => error._tag === "Problem" && error.code === "not_found",
      () => Effect.undefined
    )
  )

const neededTimeframe = new Problem({
  code: "validation_failed",
  detail: "The timeframe of such a file has to be named.",
  errors: [
    { pointer: "/timeframe", code: "missing", message: "Add timeframe=1h, or whichever it is" }
  ]
})

const keyOf = Effect.fnUntraced(function* ({ currency, symbol, timeframe }: ImportQuery) {
  if (timeframe === undefined) return yield* neededTimeframe
  const key: SeriesKey = { symbol: yield* marketSymbol(symbol, currency), timeframe }
  return key
})

const readFile = Effect.fnUntraced(function* <E>(
  markets: Markets["Service"],
  { accountId, payload, query }: ImportRequest<E>
) {
  const key = yield* keyOf(query)
  const { about, columns } = yield* readCandleFileOf(payload, key)
  const known = yield* marketOfAccount(markets, accountId, key.symbol)
  // A known fact of a market is kept: the file only fills in a step of prices that was never set.
  const isTickNew = about.tick > 0 && (known?.tick ?? null) === null
  return {
    key,
    columns,
    source: query.source ?? (about.source === "" ? undefined : about.source),
    synthetic: about.isSynthetic,
    market: isTickNew ? { tick: about.tick } : undefined,
    reading: readingOf("candle_file", key.timeframe, columns.length),
    faults: []
  }
})

const readParquetOf = Effect.fnUntraced(function* <E>({ payload, query }: ImportRequest<E>) {
  const key = yield* keyOf(query)
  const columns = yield* readParquet(payload, key.timeframe)
  const reading = readingOf("parquet", key.timeframe, columns.length)
  return { key, columns, source: query.source, reading, faults: [] }
})

const readTable = <E>({ payload, query }: ImportRequest<E>) =>
  Effect.map(readCandleTable(limitImport(payload, Limits.candleImportMaxBytes), query), (read) => ({
    ...read,
    source: query.source
  }))

/** The same refusal, with the parameters of the query where it names fields of a request. */
export const inQuery = (error: Problem): Problem =>
  error.errors?.some(({ pointer }) => isField(pointer)) === true
    ? new Problem({
        code: error.code,
        detail: error.detail,
        errors: error.errors.map(faultInQuery)
      })
    : error

const isField = (pointer: string): boolean => /^\/[a-z_]+$/.test(pointer)

/** The same fault as callers get it; a field of a request is one of the query. */
export const faultInQuery = (fault: Fault): Fault => {
  const { pointer } = fault
  if (pointer.startsWith("#")) return fault
  return { ...fault, pointer: isField(pointer) ? `#/query${pointer}` : `#${pointer}` }
}

const readSniffed = Effect.fnUntraced(function* <E>(
  markets: Markets["Service"],
  request: ImportRequest<E>,
  isForm: boolean
) {
  const { bytes, head } = yield* sniffBytes(request.payload)
  const whole = { ...request, payload: bytes }
  if (beginsWith(head, candleFileMagic)) return yield* readFile(markets, whole)
  if (beginsWith(head, parquetMagic)) return yield* readParquetOf(whole)
  return yield* isForm ? Effect.mapError(readTable(whole), withCurlHint) : readTable(whole)
})

/** curl takes line ends away from a file that it sends as a form. */
const withCurlHint = <E>(error: E | Problem): E | Problem =>
  error instanceof Problem && error.code === "validation_failed"
    ? new Problem({
        code: error.code,
        detail: `${error.detail} Where curl sent the file: --data-binary keeps its lines, -d does not.`,
        errors: error.errors ?? []
      })
    : error

/**
 * Reads the candles of a request; fails where none can be made out.
 *
 * @category combinators
 * @since 0.1.0
 */
export const readSent = <E>(
  markets: Markets["Service"],
  request: ImportRequest<E>
): Effect.Effect<SentCandles, Problem | StoreError | E> => {
  if (Number(request.headers["content-length"] ?? 0) > Limits.candleImportMaxBytes) {
    return Effect.fail(importTooLarge)
  }
  const type = (request.headers["content-type"] ?? "").toLowerCase().split(";")[0]!.trim()
  const reading: Effect.Effect<SentCandles, Problem | StoreError | E> =
    type === candleFileMediaType
      ? readFile(markets, request)
      : type === parquetMediaType
        ? readParquetOf(request)
        : textMediaTypes.includes(type)
          ? readTable(request)
          : Effect.scoped(readSniffed(markets, request, type === formMediaType))
  const { on_conflict } = request.query
  return reading.pipe(
    Effect.map((sent) => (on_conflict === undefined ? sent : { ...sent, on_conflict }))
  )
}
