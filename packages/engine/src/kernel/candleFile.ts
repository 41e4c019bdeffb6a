/**
 * Candles as one file: a small header, then the columns as they lie in memory.
 *
 * `docs/candle-file.md` describes it byte by byte. The columns begin at a multiple of eight bytes,
 * so that a reader takes them as they are, without parsing and without a copy.
 *
 * A reader refuses a file that is cut, changed or of another kind, and says which. It never judges
 * prices: the check of an import does that.
 *
 * **Example** (Two candles there and back)
 *
 * ```ts
 * import { makeColumns, readCandleFile, writeCandleFile } from "@candlewick/engine/kernel"
 *
 * const columns = makeColumns(2)
 * columns.time.set([0, 60_000])
 * columns.close.set([100, 101])
 * const known = { symbol: "BTC/USD", timeframeMs: 60_000, tick: 0.01, source: "" }
 * const read = readCandleFile(writeCandleFile(columns, { ...known, isSynthetic: false }))
 * console.log(read.type === "candles" && [...read.columns.close])
 * ```
 *
 * ```text output
 * [ 100, 101 ]
 * ```
 *
 * @since 0.1.0
 */
import { type CandleColumns, columnNames } from "./columns.ts"
import { crc32 } from "./crc32.ts"

/** The version that is written, and the newest that is read. @category tables @since 0.1.0 */
export const candleFileVersion = 1

/**
 * The first bytes of a candle file. Like PNG's, its first bytes reveal a file that went through a
 * channel for text from one that did not.
 *
 * @category tables
 * @since 0.1.0
 */
export const candleFileMagic: ReadonlyArray<number> = [
  0x89, 0x43, 0x57, 0x43, 0x0d, 0x0a, 0x1a, 0x0a
]

/** Where each part of the header begins, in bytes. @category tables @since 0.1.0 */
export const candleFileOffsets = {
  magic: 0,
  version: 8,
  header_bytes: 12,
  header_checksum: 16,
  columns_checksum: 20,
  candle_count: 24,
  column_count: 28,
  timeframe_ms: 32,
  tick: 40,
  flags: 48,
  reserved: 52,
  fields: 56
} as const

/** The meaning of the flags' bits. @category tables @since 0.1.0 */
export const candleFileFlags = { synthetic: 1 } as const

/** The kinds of fields that follow the fixed part of the header. @category tables @since 0.1.0 */
export const candleFileFields = { symbol: 1, source: 2 } as const

/** The description of its candles in a candle file. @category models @since 0.1.0 */
export interface CandleFileAbout {
  readonly symbol: string
  readonly timeframeMs: number
  /** The step of prices, or 0 where it is not known. */
  readonly tick: number
  /** Whether a generator made the candles. */
  readonly isSynthetic: boolean
  /** Where the candles come from, or an empty text. */
  readonly source: string
}

/** Why a candle file can't be read. @category models @since 0.1.0 */
export type CandleFileFailure =
  | { readonly type: "not_a_candle_file" }
  | { readonly type: "newer_version"; readonly version: number }
  /** `bytesMin` is how many bytes there would have to be, as far as is known. */
  | { readonly type: "truncated"; readonly bytes: number; readonly bytesMin: number }
  | { readonly type: "checksum_mismatch"; readonly part: "header" | "columns" }
  /** The header contradicts itself. */
  | { readonly type: "malformed"; readonly message: string }
  | { readonly type: "not_ascending"; readonly row: number }

/** The candles of a file and its facts about them. @category models @since 0.1.0 */
export interface CandleFileContent {
  readonly type: "candles"
  readonly columns: CandleColumns
  readonly about: CandleFileAbout
}

const at = candleFileOffsets

const paddedTo8 = (bytes: number): number => Math.ceil(bytes / 8) * 8

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const headerChecksumOf = (bytes: Uint8Array, headerBytes: number): number =>
  crc32(
    bytes.subarray(at.columns_checksum, headerBytes),
    crc32(bytes.subarray(0, at.header_checksum))
  )

const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

/** A column's bytes, the least significant first: the column's own memory where it lies so. */
const bytesOf = (column: Float64Array): Uint8Array => {
  if (isLittleEndian) return new Uint8Array(column.buffer, column.byteOffset, column.byteLength)
  const bytes = new Uint8Array(column.byteLength)
  const view = viewOf(bytes)
  column.forEach((value, row) => view.setFloat64(row * 8, value, true))
  return bytes
}

/**
 * The bytes of a candle file after its header, piece by piece.
 *
 * **When to use**
 *
 * To send a long file without having all of it in memory, or to do something else between pieces.
 *
 * **Gotchas**
 *
 * Pieces are views of the columns on a little-endian machine. Their lengths are multiples of eight.
 *
 * @category models
 * @since 0.1.0
 */
export function* candleFilePieces(
  columns: CandleColumns,
  candlesPerPiece: number
): Generator<Uint8Array, void> {
  for (const name of columnNames) {
    const column = columns[name]
    for (let from = 0; from < columns.length; from += candlesPerPiece) {
      yield bytesOf(column.subarray(from, Math.min(from + candlesPerPiece, columns.length)))
    }
  }
}

/**
 * The header of a candle file; `columnsChecksum` is the CRC-32 of all the bytes after it.
 *
 * @category models
 * @since 0.1.0
 */
export const candleFileHeader = (
  candleCount: number,
  about: CandleFileAbout,
  columnsChecksum: number
): Uint8Array<ArrayBuffer> => {
  const encoder = new TextEncoder()
  const fields = (["symbol", "source"] as const)
    .map((name) => ({ kind: candleFileFields[name], text: encoder.encode(about[name]) }))
    .filter(({ text }) => text.length > 0)
  const headerBytes = fields.reduce<number>(
    (sum, { text }) => sum + 8 + paddedTo8(text.length),
    at.fields
  )
  const bytes = new Uint8Array(headerBytes)
  const view = viewOf(bytes)
  bytes.set(candleFileMagic)
  view.setUint32(at.version, candleFileVersion, true)
  view.setUint32(at.header_bytes, headerBytes, true)
  view.setUint32(at.columns_checksum, columnsChecksum, true)
  view.setUint32(at.candle_count, candleCount, true)
  view.setUint32(at.column_count, columnNames.length, true)
  view.setFloat64(at.timeframe_ms, about.timeframeMs, true)
  view.setFloat64(at.tick, about.tick, true)
  view.setUint32(at.flags, about.isSynthetic ? candleFileFlags.synthetic : 0, true)
  let from: number = at.fields
  for (const { kind, text } of fields) {
    view.setUint32(from, kind, true)
    view.setUint32(from + 4, text.length, true)
    bytes.set(text, from + 8)
    from += 8 + paddedTo8(text.length)
  }
  view.setUint32(at.header_checksum, headerChecksumOf(bytes, headerBytes), true)
  return bytes
}

/**
 * The bytes of a candle file.
 *
 * **Gotchas**
 *
 * The candles are written as they are, also those that a reader would refuse.
 *
 * @category models
 * @since 0.1.0
 */
export const writeCandleFile = (
  columns: CandleColumns,
  about: CandleFileAbout
): Uint8Array<ArrayBuffer> => {
  let checksum = 0
  for (const piece of candleFilePieces(columns, columns.length)) checksum = crc32(piece, checksum)
  const header = candleFileHeader(columns.length, about, checksum)
  const bytes = new Uint8Array(header.length + columnNames.length * columns.length * 8)
  bytes.set(header)
  let from = header.length
  for (const piece of candleFilePieces(columns, columns.length)) {
    bytes.set(piece, from)
    from += piece.length
  }
  return bytes
}

const malformed = (message: string): CandleFileFailure => ({ type: "malformed", message })

const truncated = (bytes: Uint8Array, bytesMin: number): CandleFileFailure => ({
  type: "truncated",
  bytes: bytes.length,
  bytesMin
})

/** The fault of the header, from its first byte to its checksum. */
const checkHeader = (bytes: Uint8Array): CandleFileFailure | undefined => {
  // A file of another kind is found also where it is cut inside the magic.
  if (candleFileMagic.some((byte, index) => index < bytes.length && bytes[index] !== byte)) {
    return { type: "not_a_candle_file" }
  }
  if (bytes.length < at.header_bytes) return truncated(bytes, at.fields)
  const view = viewOf(bytes)
  const version = view.getUint32(at.version, true)
  if (version > candleFileVersion) return { type: "newer_version", version }
  if (version === 0) return malformed("The file names version 0, which does not exist")
  if (bytes.length < at.fields) return truncated(bytes, at.fields)
  const headerBytes = view.getUint32(at.header_bytes, true)
  if (headerBytes < at.fields || headerBytes % 8 !== 0) {
    return malformed(`A header can't have ${headerBytes} bytes`)
  }
  if (bytes.length < headerBytes) return truncated(bytes, headerBytes)
  return view.getUint32(at.header_checksum, true) === headerChecksumOf(bytes, headerBytes)
    ? undefined
    : { type: "checksum_mismatch", part: "header" }
}

/** The fields of the header that are known here; others are skipped. */
const readTexts = (
  bytes: Uint8Array,
  headerBytes: number
): ReadonlyMap<number, string> | string => {
  const view = viewOf(bytes)
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  const known: ReadonlyArray<number> = Object.values(candleFileFields)
  const texts = new Map<number, string>()
  for (let from: number = at.fields; from < headerBytes;) {
    const kind = view.getUint32(from, true)
    const start = from + 8
    const end = start + view.getUint32(from + 4, true)
    if (end > headerBytes) return `The header's field ${kind} goes beyond the header`
    if (known.includes(kind)) {
      try {
        // A copy, because decoders refuse memory that is shared.
        texts.set(kind, decoder.decode(bytes.slice(start, end)))
      } catch {
        return `The header's field ${kind} is not UTF-8`
      }
    }
    from = start + paddedTo8(end - start)
  }
  return texts
}

const readAbout = (bytes: Uint8Array, headerBytes: number): CandleFileAbout | string => {
  const view = viewOf(bytes)
  const timeframeMs = view.getFloat64(at.timeframe_ms, true)
  const tick = view.getFloat64(at.tick, true)
  if (!(timeframeMs > 0 && timeframeMs < Infinity))
    return `The file names a timeframe of ${timeframeMs} ms, which does not exist`
  if (!(tick >= 0 && tick < Infinity)) return `The tick can't be ${tick}`
  const texts = readTexts(bytes, headerBytes)
  if (typeof texts === "string") return texts
  return {
    symbol: texts.get(candleFileFields.symbol) ?? "",
    timeframeMs,
    tick,
    isSynthetic: (view.getUint32(at.flags, true) & candleFileFlags.synthetic) !== 0,
    source: texts.get(candleFileFields.source) ?? ""
  }
}

const readColumn = (bytes: Uint8Array, from: number, length: number): Float64Array => {
  const start = bytes.byteOffset + from
  if (isLittleEndian && start % 8 === 0) return new Float64Array(bytes.buffer, start, length)
  const view = viewOf(bytes)
  const column = new Float64Array(length)
  for (let row = 0; row < length; row++) column[row] = view.getFloat64(from + row * 8, true)
  return column
}

/** The first candle that opens no later than the one before, or at no time at all. */
const firstNotAscending = (time: Float64Array): number => {
  let before = -Infinity
  for (let row = 0; row < time.length; row++) {
    const now = time[row]!
    if (!(now > before && now < Infinity)) return row
    before = now
  }
  return -1
}

/**
 * Reads a candle file: its candles and its facts about them, or why it can't be read.
 *
 * **Details**
 *
 * The columns are views of the memory of `bytes`, shared or not, where that begins at a multiple of
 * eight bytes on a little-endian machine. Elsewhere they are copies. Fields, flags and columns that
 * are not known here are skipped. That prices make sense is for `checkCandles` to say.
 *
 * @category models
 * @since 0.1.0
 */
export const readCandleFile = (bytes: Uint8Array): CandleFileContent | CandleFileFailure => {
  const failure = checkHeader(bytes)
  if (failure !== undefined) return failure
  const view = viewOf(bytes)
  const headerBytes = view.getUint32(at.header_bytes, true)
  const length = view.getUint32(at.candle_count, true)
  const columnCount = view.getUint32(at.column_count, true)
  if (columnCount < columnNames.length) return malformed(`Candles don't fit ${columnCount} columns`)
  const about = readAbout(bytes, headerBytes)
  if (typeof about === "string") return malformed(about)
  const fileBytes = headerBytes + columnCount * length * 8
  if (bytes.length < fileBytes) return truncated(bytes, fileBytes)
  if (bytes.length > fileBytes) {
    return malformed(`The file has ${bytes.length - fileBytes} bytes after the last column`)
  }
  if (view.getUint32(at.columns_checksum, true) !== crc32(bytes.subarray(headerBytes))) {
    return { type: "checksum_mismatch", part: "columns" }
  }
  const column = (field: number): Float64Array =>
    readColumn(bytes, headerBytes + field * length * 8, length)
  const time = column(0)
  const row = firstNotAscending(time)
  if (row >= 0) return { type: "not_ascending", row }
  const columns: CandleColumns = {
    length,
    time,
    open: column(1),
    high: column(2),
    low: column(3),
    close: column(4),
    volume: column(5)
  }
  return { type: "candles", columns, about }
}
