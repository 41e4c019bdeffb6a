/**
 * Writes candles as a stream of CSV, of JSON lines or of a candle file's bytes.
 *
 * Each piece is made in a turn of the event loop of its own. So an export of millions of candles
 * delays no other request. The bound is the piece. A fast reader never makes the stream wait, so
 * waiting for the reader alone would not let anything else run.
 *
 * @since 0.1.0
 */
import {
  type CandleColumns,
  type CandleFileAbout,
  candleFileHeader,
  candleFilePieces,
  columnNames,
  crc32
} from "@candlewick/core/kernel"
import { Effect, Stream } from "effect"

/** Rows of text take about a millisecond a thousand. */
const rowsPerPiece = 2_048
const candlesPerFilePiece = 32_768

const csvRow = ({ close, high, low, open, time, volume }: CandleColumns, row: number): string =>
  `${time[row]},${open[row]},${high[row]},${low[row]},${close[row]},${volume[row]}\n`

const jsonRow = ({ close, high, low, open, time, volume }: CandleColumns, row: number): string =>
  `{"time":${time[row]},"open":${open[row]},"high":${high[row]},"low":${low[row]},` +
  `"close":${close[row]},"volume":${volume[row]}}\n`

function* textPieces(
  columns: CandleColumns,
  format: "csv" | "ndjson"
): Generator<Uint8Array, void> {
  const encoder = new TextEncoder()
  const toText = format === "csv" ? csvRow : jsonRow
  if (format === "csv") yield encoder.encode(`${columnNames.join(",")}\n`)
  for (let from = 0; from < columns.length; from += rowsPerPiece) {
    const to = Math.min(from + rowsPerPiece, columns.length)
    let text = ""
    for (let row = from; row < to; row++) text += toText(columns, row)
    yield encoder.encode(text)
  }
}

/**
 * The values of a generator. Each is made after the other work that waits for the event loop.
 *
 * @category conversions
 * @since 0.1.0
 */
export const streamInTurns = <A>(make: () => Generator<A, void>): Stream.Stream<A> =>
  Stream.fromIterable({ [Symbol.iterator]: make }, { chunkSize: 1 }).pipe(
    Stream.tap(() => Effect.yieldNow)
  )

/**
 * Candles as bytes in this format; CSV begins with its header row.
 *
 * @category conversions
 * @since 0.1.0
 */
export const writeCandles = (
  columns: CandleColumns,
  format: "csv" | "ndjson"
): Stream.Stream<Uint8Array> => streamInTurns(() => textPieces(columns, format))

/**
 * Candles as the bytes of a candle file that says this of them.
 *
 * @category conversions
 * @since 0.1.0
 */
export const writeCandleFileOf = (
  columns: CandleColumns,
  about: CandleFileAbout
): Stream.Stream<Uint8Array> => {
  const pieces = streamInTurns(() => candleFilePieces(columns, candlesPerFilePiece))
  // The header is first and has the checksum of all that follows: every piece is visited twice.
  const header = Stream.runFold(
    pieces,
    () => 0,
    (checksum, piece) => crc32(piece, checksum)
  ).pipe(Effect.map((checksum) => candleFileHeader(columns.length, about, checksum)))
  return Stream.concat(Stream.fromEffect(header), pieces)
}
