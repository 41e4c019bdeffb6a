/**
 * Reads candles from a Parquet file, a column of a row group at a time.
 *
 * The file's description of itself is checked before it is believed: any caller may have written
 * it.
 *
 * @since 0.1.0
 */
import type { Fault } from "@candlewick/core"
import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  parquetMetadata,
  parquetRead,
  snappyUncompress
} from "hyparquet"
import { compressors, decompressZstd } from "hyparquet-compressors"
import { parquetHeader } from "hyparquet/src/column.js"
import type { CandleField } from "@candlewick/core/kernel"
import { brotliDecompressSync, unzipSync } from "node:zlib"
import { checkPackedRuns, checkThrift, checkPageValues, Damaged } from "./parquetChecks.ts"
import { findColumns, type ParquetColumn, timeParsers } from "./parquetColumns.ts"

/** A value that is no number. @category models @since 0.1.0 */
export interface BadValue {
  readonly row: number
  readonly field: CandleField
}

/** The columns to read, and the number of rows. @category models @since 0.1.0 */
export interface ParquetLimits {
  readonly fields: ReadonlyArray<CandleField>
  readonly rowsMax: number
  readonly badMax: number
}

/** The result of reading a file. @category models @since 0.1.0 */
export type ParquetContent =
  | {
      readonly type: "candles"
      readonly rows: number
      readonly columns: Readonly<Record<CandleField, Float64Array<ArrayBuffer>>>
      /** Values that are none, by their rows; reading ends early where these are too many. */
      readonly bad: ReadonlyArray<BadValue>
    }
  | { readonly type: "refused"; readonly faults: ReadonlyArray<Fault> }
  | { readonly type: "too_many_rows"; readonly rows: number }

/** Bytes of a file by their places. @category models @since 0.1.0 */
export interface ParquetBytes {
  readonly byteLength: number
  readonly read: (start: number, end: number) => Promise<ArrayBuffer>
}

const magic = 0x31_52_41_50
const encryptedMagic = 0x45_52_41_50
const tailBytes = 8
const footerMaxBytes = 16_777_216
const pageMaxBytes = 268_435_456
/** More than any number takes, as text too. */
const valueMaxBytes = 1_024
/** The further bytes of a page: some encodings fill up blocks of values. */
const blockMaxBytes = 65_536
/** So many rows may be as alike as they like; more, and a row takes part of a byte at least. */
const denseRowsMax = 1_000_000
const rowsPerByteMax = 16

/** The faults of a file as a whole. */
class Refused extends Error {
  readonly fault: Fault
  constructor(code: string, message: string, pointer = "#") {
    super(message)
    this.fault = { pointer, code, message }
  }
}

const damaged = (message: string) => new Refused("malformed", message)

/** The same bytes once more, where they were the last. */
const rememberLast = ({ byteLength, read }: ParquetBytes): AsyncBuffer => {
  let last: { readonly start: number; readonly end: number; readonly bytes: ArrayBuffer } | null =
    null
  return {
    byteLength,
    slice: async (start, end = byteLength) => {
      if (!(start >= 0 && end >= start && end <= byteLength)) {
        throw damaged("The file points to bytes that it does not have")
      }
      if (last?.start !== start || last.end !== end) {
        last = { start, end, bytes: await read(start, end) }
      }
      return last.bytes
    }
  }
}

const readMetadata = async (file: AsyncBuffer): Promise<FileMetaData> => {
  const { byteLength } = file
  const tooShort = new Refused("truncated", `The file ends after ${byteLength} bytes`)
  if (byteLength < 4) throw tooShort
  const first = new DataView(await file.slice(0, 4)).getUint32(0, true)
  const isEncrypted = new Refused("encrypted", "The file is encrypted")
  if (first === encryptedMagic) throw isEncrypted
  if (first !== magic) throw new Refused("not_a_parquet_file", "This is no Parquet file")
  if (byteLength < 4 + tailBytes) throw tooShort
  const tail = new DataView(await file.slice(byteLength - tailBytes, byteLength))
  if (tail.getUint32(4, true) === encryptedMagic) throw isEncrypted
  const length = tail.getUint32(0, true)
  if (tail.getUint32(4, true) !== magic || length > byteLength - 4 - tailBytes) {
    throw new Refused("truncated", "The file does not end as a Parquet file does")
  }
  if (length > footerMaxBytes) throw damaged(`The footer has more than ${footerMaxBytes} bytes`)
  const footer = await file.slice(byteLength - tailBytes - length, byteLength)
  checkThrift(new DataView(footer), 0)
  const metadata = parquetMetadata(footer, { geoparquet: false })
  const chunks = metadata.row_groups.flatMap(({ columns }) => columns)
  if (chunks.some(({ crypto_metadata: crypto }) => crypto !== undefined)) throw isEncrypted
  return metadata
}

/** How many rows each group has. */
const groupSizes = (metadata: FileMetaData): ReadonlyArray<number> => {
  const sizes = metadata.row_groups.map(({ num_rows: rows }) => Number(rows))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (sizes.some((size) => !(size >= 0)) || total !== Number(metadata.num_rows)) {
    throw damaged("The row groups do not have the rows of the file")
  }
  return sizes
}

type PageHeader = ReturnType<typeof parquetHeader>

/** Looks through the pages of a column, now or as soon as they are decompressed. */
type PageCheck = (bytes: Uint8Array) => void

const checkOf = (page: PageHeader, isOptional: boolean): PageCheck => {
  const { data_page_header: first, data_page_header_v2: second } = page
  const count = first?.num_values ?? (second?.num_values ?? 0) - (second?.num_nulls ?? 0)
  const encoding = (first ?? second)?.encoding
  const hasLevels = first !== undefined && isOptional
  return (bytes) => checkPageValues(bytes, { count, encoding, hasLevels })
}

const pageTypes = ["DATA_PAGE", "DATA_PAGE_V2", "DICTIONARY_PAGE"] as const

/** Fields may be of other types than they should be, and then hold anything. */
const isCount = (value: unknown, max: number): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= max

const isSound = (page: PageHeader, rows: number): boolean => {
  const { compressed_page_size: packed, uncompressed_page_size: size } = page
  const { data_page_header_v2: second } = page
  const headers = [page.data_page_header, second, page.dictionary_page_header]
  const count = headers.find((one) => one !== undefined)?.num_values ?? 0
  const levels = second?.definition_levels_byte_length ?? 0
  return (
    // It has the header of its stated kind, and no other.
    pageTypes.some((type) => type === page.type) &&
    pageTypes.every((type, at) => (type === page.type) === (headers[at] !== undefined)) &&
    headers.every((one) => one === undefined || isCount(one.num_values, rows)) &&
    headers.every((one) => one === undefined || typeof one.encoding === "string") &&
    // A few bytes of file can be packed so that they take very long to unpack.
    isCount(size, Math.min(pageMaxBytes, count * valueMaxBytes + blockMaxBytes)) &&
    isCount(packed, Number.MAX_SAFE_INTEGER) &&
    (second === undefined ||
      (isCount(second.num_nulls, second.num_values) &&
        isCount(levels, Math.min(packed, size)) &&
        // Values that may be repeated have those, and there are none.
        second.repetition_levels_byte_length === 0))
  )
}

/** Checks the pages of a column as far as they can be read; gives the checks that remain. */
const checkPages = async (
  file: AsyncBuffer,
  group: Group,
  { isOptional, name }: ParquetColumn
): Promise<Array<PageCheck>> => {
  const chunk = group.chunks.find(({ meta_data: about }) => about?.path_in_schema[0] === name)
  const about = chunk?.meta_data
  if (about === undefined) throw damaged(`A row group has no column ${name}`)
  const from = Number(about.dictionary_page_offset || about.data_page_offset)
  const chunkBytes = await file.slice(from, from + Number(about.total_compressed_size))
  const view = new DataView(chunkBytes)
  const later: Array<PageCheck> = []
  let offset = 0
  let rows = 0
  while (rows < group.rows) {
    const begin = checkThrift(view, offset)
    const page = parquetHeader({ view, offset })
    offset = begin + page.compressed_page_size
    if (!isSound(page, group.rows) || offset > view.byteLength) {
      throw damaged(`A page of the column ${name} is not as it should be`)
    }
    const bytes = new Uint8Array(chunkBytes, begin, page.compressed_page_size)
    const { data_page_header: first, data_page_header_v2: second } = page
    rows += (first ?? second)?.num_values ?? 0
    const check = checkOf(page, isOptional)
    if (second !== undefined) {
      if (isOptional) checkPackedRuns(bytes, second.num_values, 1)
    }
    if (about.codec !== "UNCOMPRESSED" && second?.is_compressed !== false) later.push(check)
    else check(bytes.subarray(second?.definition_levels_byte_length ?? 0))
  }
  if (rows !== group.rows) throw damaged(`The column ${name} has too many values`)
  return later
}

/** Decompresses pages and looks through each before it is decoded. */
const checkingCompressors = (later: Array<PageCheck>): Compressors => {
  const known: Compressors = {
    ...compressors,
    GZIP: (bytes, length) => unzipSync(bytes, { maxOutputLength: length }),
    BROTLI: (bytes, length) => brotliDecompressSync(bytes, { maxOutputLength: length }),
    SNAPPY: (bytes, length) => {
      const page = new Uint8Array(length)
      snappyUncompress(bytes, page)
      return page
    },
    ZSTD: (bytes, length) => decompressZstd(bytes, new Uint8Array(length))
  }
  return Object.fromEntries(
    Object.entries(known).map(([codec, decompress]) => [
      codec,
      (bytes: Uint8Array, length: number) => {
        const page = decompress(bytes, length)
        later.shift()?.(page)
        return page
      }
    ])
  )
}

interface Opened extends ParquetLimits {
  readonly file: AsyncBuffer
  readonly metadata: FileMetaData
}

interface Group {
  readonly start: number
  readonly rows: number
  readonly chunks: FileMetaData["row_groups"][number]["columns"]
}

/** Reads the values of a column; the reader of text takes long to load, and is seldom needed. */
const readerOf = async ({ field, meaning, toNumber }: ParquetColumn) => {
  if (meaning !== "text") return toNumber
  const { readField } = await import("./importFaults.ts")
  return (value: unknown) => readField(field, value)
}

/** Reads a column of a group to its place; gives the first rows whose value is none. */
const readColumn = async (
  { badMax, file, metadata }: Opened,
  group: Group,
  column: ParquetColumn,
  target: Float64Array
): Promise<ReadonlyArray<number>> => {
  const { name } = column
  const later = await checkPages(file, group, column)
  const toNumber = await readerOf(column)
  const bad: Array<number> = []
  const end = group.start + group.rows
  let next = group.start
  await parquetRead({
    file,
    metadata,
    columns: [name],
    rowStart: group.start,
    rowEnd: end,
    utf8: false,
    parsers: timeParsers,
    compressors: checkingCompressors(later),
    onChunk: ({ columnData }) => {
      for (let index = 0; index < columnData.length && next < end; index++, next++) {
        const value = toNumber(columnData[index])
        target[next] = value
        if (!Number.isFinite(value) && bad.length < badMax) bad.push(next)
      }
    }
  })
  if (next !== end) throw damaged(`The column ${name} has fewer values than rows`)
  return bad
}

const readGroups = async (
  opened: Opened,
  sizes: ReadonlyArray<number>,
  found: ReadonlyArray<ParquetColumn>
): Promise<ParquetContent> => {
  const { badMax, fields, metadata } = opened
  const rows = Number(metadata.num_rows)
  const columns = Object.fromEntries(
    fields.map((field) => [field, new Float64Array(rows)])
  ) as Record<CandleField, Float64Array<ArrayBuffer>>
  const bad: Array<BadValue> = []
  let start = 0
  for (const [index, size] of sizes.entries()) {
    const group = { start, rows: size, chunks: metadata.row_groups[index]!.columns }
    start += size
    if (size === 0) continue
    const here: Array<BadValue> = []
    for (const column of found) {
      const { field } = column
      const badRows = await readColumn(opened, group, column, columns[field])
      here.push(...badRows.map((row) => ({ row, field })))
    }
    // The sort is stable, so that within a row they come in the order of the columns.
    bad.push(...here.sort((one, other) => one.row - other.row))
    if (bad.length >= badMax) break
  }
  return { type: "candles", rows, columns, bad: bad.slice(0, badMax) }
}

/** The library's message on a file; a message of the language itself helps no caller. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && (error instanceof Damaged || error.message.startsWith("parquet "))
    ? error.message.slice(0, 200)
    : "it is damaged"

/**
 * Reads candles from a file; never fails.
 *
 * @category conversions
 * @since 0.1.0
 */
export const readParquetFile = async (
  bytes: ParquetBytes,
  limits: ParquetLimits
): Promise<ParquetContent> => {
  const file = rememberLast(bytes)
  try {
    const metadata = await readMetadata(file)
    const found = findColumns(metadata, limits.fields)
    if (!("columns" in found)) return { type: "refused", faults: found }
    const sizes = groupSizes(metadata)
    const rows = Number(metadata.num_rows)
    if (rows > limits.rowsMax) return { type: "too_many_rows", rows }
    if (rows > denseRowsMax + bytes.byteLength * rowsPerByteMax) {
      throw damaged(`The file has too few bytes for ${rows} rows`)
    }
    return await readGroups({ ...limits, file, metadata: found.metadata }, sizes, found.columns)
  } catch (error) {
    const { fault } =
      error instanceof Refused ? error : damaged(`It can't be read: ${reasonOf(error)}`)
    return { type: "refused", faults: [fault] }
  }
}
