/**
 * Candles from the text of a file, as an exchange, a chart or a library wrote it.
 *
 * @since 0.1.0
 */
import { Result, Schema } from "effect"
import { beginCandleTable } from "../kernel/candleTable/CandleTable.ts"
import type { TableDecimal } from "../kernel/candleTable/readNumber.ts"
import type {
  TableDateOrder,
  TableAmbiguity,
  TableTimeUnit
} from "../kernel/candleTable/resolveTimes.ts"
import type { ColumnMap } from "../kernel/candleTable/tableLayout.ts"
import type { TableFault } from "../kernel/candleTable/TableRow.ts"
import { checkCandles } from "../kernel/checkCandles.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import { type Fault, invalidInput, refuse } from "../language/Fault.ts"
import { Timeframe, timeframeMs, timeframes } from "../language/Timeframe.ts"
import { toFaults } from "../language/toFaults.ts"
import { markChecked } from "./checkColumns.ts"

/** The reading of a text, where its rows leave it open. @category models @since 0.1.0 */
export interface ReadCandlesOptions {
  /** The column of a field: a header, or a number from 1. */
  readonly columns?: ColumnMap
  readonly timeUnit?: TableTimeUnit
  readonly dateOrder?: TableDateOrder
  /** The mark of the fraction in numbers; found by the rows where they show it. */
  readonly decimal?: TableDecimal
  /** The zone of times without one: an IANA name or an offset; UTC by default. */
  readonly zone?: string
  /** The length of a candle; the distance of the rows by default. */
  readonly timeframe?: Timeframe
}

const column = Schema.optional(Schema.String)

const Options = Schema.Struct({
  columns: Schema.optional(
    Schema.Struct({
      time: column,
      open: column,
      high: column,
      low: column,
      close: column,
      volume: column
    })
  ),
  timeUnit: Schema.optional(Schema.Literals(["ms", "s", "us", "ns"])),
  dateOrder: Schema.optional(Schema.Literals(["day_first", "month_first"])),
  decimal: Schema.optional(Schema.Literals(["point", "comma"])),
  zone: Schema.optional(Schema.String),
  timeframe: Schema.optional(Timeframe)
})

const decodeOptions = Schema.decodeUnknownResult(Options, {
  errors: "all",
  onExcessProperty: "error"
})

const toFault = ({ code, field, message, row }: TableFault): Fault => {
  if (code === "unknown_zone") return { pointer: "/zone", code: "not_allowed", message }
  const pointer = row === null ? "" : `/${row}${field === null ? "" : `/${field}`}`
  return { pointer, code, message }
}

const optionNames = {
  time_unit: "timeUnit",
  date_order: "dateOrder",
  decimal: "decimal",
  columns: "columns"
} as const

const questionOf = ({ about, or, read_as }: TableAmbiguity): Fault => {
  const name = optionNames[about]
  const message = `The rows may be read as ${read_as} or as ${or}: ${name} says which`
  return { pointer: `/${name}`, code: "ambiguous", message }
}

/**
 * Reads candles from the text of a file: delimited text or JSON, with a header or without.
 *
 * **Details**
 *
 * The columns, their order and the form of the times are found out, as `docs/candles.md` says for an
 * import. Rows may begin with the newest. Throws an `InvalidInput` that names every faulty row, at
 * most 100 of them, counted from 0 without the header. A text that may be read in two ways is
 * refused, and the error names the option that settles it.
 *
 * **Example** (Two days)
 *
 * ```ts
 * import { readCandles } from "@candlewick/engine/research"
 *
 * const days = readCandles("date,open,high,low,close\n2026-01-01,1,3,1,2\n2026-01-02,2,4,2,3\n")
 * console.log(days.close) // => Float64Array(2) [ 2, 3 ]
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const readCandles = (text: string, options: ReadCandlesOptions = {}): CandleColumns => {
  if (typeof text !== "string") return refuse("", "wrong_type", "Expected the text of a file")
  const decoded = decodeOptions(options)
  if (Result.isFailure(decoded)) throw invalidInput(toFaults(decoded.failure.issue))
  const { timeframe, ...given } = options
  const table = beginCandleTable({
    ...given,
    timeframeMs: timeframe === undefined ? undefined : timeframeMs(timeframe),
    timeframesMs: Object.values(timeframes)
  })
  const fault = table.add(text)
  if (fault !== null) throw invalidInput([toFault(fault)])
  const turns = table.end()
  let turn = turns.next()
  while (turn.done !== true) turn = turns.next()
  const content = turn.value
  if (!("columns" in content)) throw invalidInput([toFault(content)])
  const open = content.reading.ambiguities.filter(({ isOpen }) => isOpen).map(questionOf)
  const faults = [...open, ...content.faults.map(toFault)]
  if (faults.length > 0) throw invalidInput(faults)
  const checked = checkCandles(content.columns, 1)
  if (checked.faults.length > 0) {
    const rowFaults = checked.faults.map((one) => ({ ...one, row: content.rowOf(one.row) }))
    throw invalidInput(
      rowFaults.map(({ code, message, row }) => ({
        pointer: `/${row}`,
        code,
        message: `Row ${row}: ${message}`
      }))
    )
  }
  markChecked(checked.columns)
  return checked.columns
}
