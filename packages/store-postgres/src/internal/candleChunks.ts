/**
 * Candles as the chunks in which they are stored: the columns of a stretch of time, one after the
 * other.
 *
 * A chunk covers a span of a fixed length that is aligned to the epoch. So candles added at either
 * end, or merged in between, leave every other chunk as it is.
 *
 * @since 0.1.0
 */
import {
  type CandleColumns,
  columnNames,
  indexAt,
  makeColumns,
  type SeriesKey,
  sliceColumns,
  type Timeframe,
  timeframeMs
} from "@candlewick/core"
import { Effect } from "effect"
import { createHash } from "node:crypto"

/** How many candles a span has room for. @category tables @since 0.1.0 */
export const candlesPerSpan = 4_096

/**
 * The layout of a chunk's bytes: 64-bit floating-point numbers, least significant byte first,
 * column after column in the order of `columnNames`.
 *
 * @category tables
 * @since 0.1.0
 */
export const chunkLayout = 1

/** The candles of one span. @category models @since 0.1.0 */
export interface CandleChunk {
  /** Where its span begins, in epoch milliseconds; no two chunks of a series share it. */
  readonly starts_ms: number
  readonly first_ms: number
  readonly last_ms: number
  readonly candle_count: number
  readonly layout: number
  /** SHA-256 of the columns: equal chunks have equal checksums. */
  readonly checksum: Uint8Array
  readonly columns: Uint8Array
}

const checksumOf = (bytes: Uint8Array): Uint8Array =>
  new Uint8Array(createHash("sha256").update(bytes).digest())

const toChunk = (startsMs: number, candles: CandleColumns): CandleChunk => {
  const numbers = new Float64Array(columnNames.length * candles.length)
  columnNames.forEach((name, field) => numbers.set(candles[name], field * candles.length))
  const columns = new Uint8Array(numbers.buffer)
  return {
    starts_ms: startsMs,
    first_ms: candles.time[0]!,
    last_ms: candles.time[candles.length - 1]!,
    candle_count: candles.length,
    layout: chunkLayout,
    checksum: checksumOf(columns),
    columns
  }
}

/**
 * The chunks of a series, one by one, from the oldest.
 *
 * @category models
 * @since 0.1.0
 */
export function* chunksOf(
  timeframe: Timeframe,
  candles: CandleColumns
): Generator<CandleChunk, void> {
  const spanMs = candlesPerSpan * timeframeMs(timeframe)
  let from = 0
  while (from < candles.length) {
    const startsMs = Math.floor(candles.time[from]! / spanMs) * spanMs
    const to = indexAt(candles, startsMs + spanMs)
    yield toChunk(startsMs, sliceColumns(candles, from, to))
    from = to
  }
}

/** A chunk as it is read. @category models @since 0.1.0 */
export type StoredChunk = Pick<CandleChunk, "layout" | "candle_count" | "checksum" | "columns">

/** Why a chunk can't be read, or none. @category models @since 0.1.0 */
export const faultOf = (chunk: StoredChunk): string | null => {
  if (chunk.layout !== chunkLayout) return `its layout ${chunk.layout} is not known`
  if (chunk.columns.byteLength !== chunk.candle_count * columnNames.length * 8) {
    return "its length is not that of its candles"
  }
  return Buffer.compare(checksumOf(chunk.columns), chunk.checksum) === 0
    ? null
    : "its checksum is not that of its columns"
}

/** Copies a chunk's candles to `index` and on of a whole series. @category models @since 0.1.0 */
export const copyChunk = (chunk: StoredChunk, into: CandleColumns, index: number): void => {
  const { byteOffset } = chunk.columns
  // Numbers can only be seen in memory that is aligned to them.
  const { buffer } = byteOffset % 8 === 0 ? chunk.columns : chunk.columns.slice()
  const numbers = new Float64Array(
    buffer,
    byteOffset % 8 === 0 ? byteOffset : 0,
    chunk.columns.byteLength / 8
  )
  columnNames.forEach((name, field) => {
    const start = field * chunk.candle_count
    into[name].set(numbers.subarray(start, start + chunk.candle_count), index)
  })
}

/** How many chunks are checked and copied in one turn of the event loop: some milliseconds. */
const chunksPerTurn = 8

/**
 * The chunks as one series. A fault in a stored chunk is a defect, because no caller can mend it.
 *
 * @category models
 * @since 0.1.0
 */
export const assembleChunks = Effect.fnUntraced(function* (
  { symbol, timeframe }: SeriesKey,
  chunks: ReadonlyArray<StoredChunk>
): Effect.fn.Return<CandleColumns> {
  const columns = makeColumns(chunks.reduce((sum, chunk) => sum + chunk.candle_count, 0))
  let index = 0
  for (const [at, chunk] of chunks.entries()) {
    const fault = faultOf(chunk)
    if (fault !== null) {
      const message = `a chunk of ${symbol} ${timeframe} can't be read: ${fault}`
      return yield* Effect.die(new Error(message))
    }
    copyChunk(chunk, columns, index)
    index += chunk.candle_count
    // A million candles have 48 MB to be hashed, and other requests go first.
    if (at % chunksPerTurn === chunksPerTurn - 1) yield* Effect.yieldNow
  }
  return columns
})
