/** Parquet files of candles, of the kinds that other tools write. */
import { type CandleColumns, columnNames } from "@candlewick/core/kernel"
import type { CompressionCodec, DecodedArray, SchemaElement } from "hyparquet"
import { parquetWriteBuffer } from "hyparquet-writer"
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib"

/** A column as it is written. */
export interface Column extends SchemaElement {
  readonly data: DecodedArray
  readonly encoding?: "PLAIN" | "DELTA_BINARY_PACKED" | "BYTE_STREAM_SPLIT" | "RLE_DICTIONARY"
}

/** How a file is written. */
export interface FileOptions {
  readonly codec?: CompressionCodec
  readonly rowGroupSize?: number
  readonly pageSize?: number
}

type Field = (typeof columnNames)[number]

/** Columns that differ from those that candles make, or other ones. */
export type Replaced = Readonly<Partial<Record<Field, Partial<Column>>>>

const compressors = {
  GZIP: (bytes: Uint8Array) => gzipSync(bytes),
  BROTLI: (bytes: Uint8Array) => brotliCompressSync(bytes),
  ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes)
}

/** A file of any columns. */
export const fileOf = (
  columns: ReadonlyArray<Column>,
  options: FileOptions = {}
): Uint8Array<ArrayBuffer> => {
  const elements = columns.map(({ data: _data, encoding: _encoding, ...element }) => element)
  const schema = [{ name: "root", num_children: elements.length }, ...elements]
  const columnData = columns.map(({ data, encoding, name }) => ({
    name,
    data,
    ...(encoding === undefined ? {} : { encoding })
  }))
  return new Uint8Array(parquetWriteBuffer({ columnData, schema, compressors, ...options }))
}

/** The columns of these candles: times as 64-bit integers, all else as doubles. */
export const columnsOf = (candles: CandleColumns, replaced: Replaced = {}): ReadonlyArray<Column> =>
  columnNames.map((name) => ({
    name,
    repetition_type: "REQUIRED",
    ...(name === "time"
      ? { type: "INT64", data: Array.from(candles.time, BigInt) }
      : { type: "DOUBLE", data: [...candles[name]] }),
    ...replaced[name]
  }))

/** A file of these candles. */
export const parquetOf = (
  candles: CandleColumns,
  options: FileOptions = {},
  replaced: Replaced = {}
): Uint8Array<ArrayBuffer> => fileOf(columnsOf(candles, replaced), options)
