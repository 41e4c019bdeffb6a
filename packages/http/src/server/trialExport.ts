/**
 * Writes the trials of a search as a stream of CSV or of JSON lines.
 *
 * Each piece is made in a turn of the event loop of its own, as with exported candles.
 *
 * @since 0.1.0
 */
import type { TrialTable } from "@candlewick/core"
import { textCell } from "./acceptable.ts"
import { streamInTurns } from "./candleExport.ts"
import type { Stream } from "effect"

/** Rows of sixty columns take about a millisecond a fifty. */
const rowsPerPiece = 50

type Row = TrialTable["rows"][number]

const csvRow = (row: Row): string => `${row.map((value) => value ?? "").join(",")}\n`

const jsonRow =
  (names: ReadonlyArray<string>) =>
  (row: Row): string =>
    `${JSON.stringify(Object.fromEntries(names.map((name, at) => [name, row[at]])))}\n`

function* pieces(
  { columns, rows }: TrialTable,
  format: "csv" | "ndjson"
): Generator<Uint8Array, void> {
  const encoder = new TextEncoder()
  const toText = format === "csv" ? csvRow : jsonRow(columns)
  if (format === "csv") yield encoder.encode(`${columns.map(textCell).join(",")}\n`)
  for (let from = 0; from < rows.length; from += rowsPerPiece) {
    yield encoder.encode(
      rows
        .slice(from, from + rowsPerPiece)
        .map(toText)
        .join("")
    )
  }
}

/**
 * Trials as bytes in this format; CSV begins with its header row.
 *
 * @category conversions
 * @since 0.1.0
 */
export const writeTrials = (
  table: TrialTable,
  format: "csv" | "ndjson"
): Stream.Stream<Uint8Array> => streamInTurns(() => pieces(table, format))
