/**
 * The parts that the readers of tables of candles share: rows, fields, and faults.
 *
 * @since 0.1.0
 */
import type { columnNames } from "../columns.ts"

/** A field of a candle. @category models @since 0.1.0 */
export type CandleField = (typeof columnNames)[number]

/** The cells of one row: texts of a file of text, values of JSON. @category models @since 0.1.0 */
export type TableRow = ReadonlyArray<unknown>

/**
 * One fault of a table; `row` counts the rows of data from 0, and is null where the table as a
 * whole is meant.
 *
 * @category models
 * @since 0.1.0
 */
export interface TableFault {
  readonly row: number | null
  readonly field: CandleField | null
  readonly code: string
  readonly message: string
}

/** Splits text, as it comes, into rows. @category models @since 0.1.0 */
export interface RowSplitter {
  /** Takes more text; gives the fault where it can't go on. */
  readonly add: (text: string) => string | null
  /** Ends the text; gives the fault of the end. */
  readonly end: () => string | null
}

/** The longest line, or row of JSON, in characters. @category limits @since 0.1.0 */
export const rowMaxLength = 4_096

/** A text as it is shown in a message. @category models @since 0.1.0 */
export const quoted = (value: unknown): string => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing")
  const short = text.length > 40 ? `${text.slice(0, 40)}…` : text
  return typeof value === "string" ? JSON.stringify(short) : short
}
