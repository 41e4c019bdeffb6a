/**
 * Writes candles as a stream of CSV, of JSON lines or of a candle file's bytes.
 *
 * @since 0.1.0
 */
import {
  type CandleColumns,
  type CandleFileAbout,
  columnNames,
  writeCandleFile
} from "@candlewick/core/kernel"
import { Stream } from "effect"

const rowsPerChunk = 4096
const bytesPerChunk = 262_144

const csvRow = (columns: CandleColumns, index: number): string =>
  columnNames.map((name) => columns[name][index]).join(",")

const jsonRow = (columns: CandleColumns, index: number): string =>
  JSON.stringify(Object.fromEntries(columnNames.map((name) => [name, columns[name][index]])))

function* chunks(columns: CandleColumns, format: "csv" | "ndjson"): Generator<Uint8Array> {
  const encoder = new TextEncoder()
  const row = format === "csv" ? csvRow : jsonRow
  if (format === "csv") yield encoder.encode(`${columnNames.join(",")}\n`)
  for (let from = 0; from < columns.length; from += rowsPerChunk) {
    const to = Math.min(from + rowsPerChunk, columns.length)
    let text = ""
    for (let index = from; index < to; index++) text += `${row(columns, index)}\n`
    yield encoder.encode(text)
  }
}

/**
 * Candles as bytes in this format; CSV begins with its header row.
 *
 * @category conversions
 * @since 0.1.0
 */
export const writeCandles = (
  columns: CandleColumns,
  format: "csv" | "ndjson"
): Stream.Stream<Uint8Array> =>
  Stream.fromIterable({ [Symbol.iterator]: () => chunks(columns, format) })

function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += bytesPerChunk) {
    yield bytes.subarray(from, from + bytesPerChunk)
  }
}

/**
 * Candles as the bytes of a candle file that says this of them.
 *
 * @category conversions
 * @since 0.1.0
 */
export const writeCandleFileOf = (
  columns: CandleColumns,
  about: CandleFileAbout
): Stream.Stream<Uint8Array> =>
  Stream.fromIterable({ [Symbol.iterator]: () => pieces(writeCandleFile(columns, about)) })
