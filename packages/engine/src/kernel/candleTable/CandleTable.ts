/**
 * Reads a table of candles as it comes: delimited text or JSON, with a header or in the layout of
 * an exchange.
 *
 * Its times may be in any known unit.
 *
 * @since 0.1.0
 */
import { type CandleColumns, columnNames } from "../columns.ts"
import { delimiterOf, splitDelimited } from "./delimitedRows.ts"
import { hasColumns, splitColumns } from "./jsonColumns.ts"
import { type JsonRow, splitJson } from "./jsonRows.ts"
import {
  findNumberStyle,
  type FoundNumberStyle,
  plainNumbers,
  type TableDecimal
} from "./readNumber.ts"
import { timeKinds } from "./readTime.ts"
import {
  type TableDateOrder,
  decideTimes,
  type TableAmbiguity,
  type TimesReading,
  type TableTimeUnit,
  turnTimes
} from "./resolveTimes.ts"
import { type ColumnMap, findLayout, type TableLayout } from "./tableLayout.ts"
import { makeTableRows, type TableRows } from "./tableRows.ts"
import {
  type CandleField,
  quoted,
  type RowSplitter,
  type TableFault,
  type TableRow
} from "./TableRow.ts"
import { zoneClock } from "./zoneClock.ts"

/**
 * The caller's description of a table; the reader detects the other settings. @category models
 * @since 0.1.0
 */
export interface CandleTableOptions {
  readonly columns?: ColumnMap | undefined
  readonly timeUnit?: TableTimeUnit | undefined
  readonly dateOrder?: TableDateOrder | undefined
  /** The mark of the fraction in numbers. */
  readonly decimal?: TableDecimal | undefined
  /** The zone of clocks without one: an IANA name or an offset; UTC by default. */
  readonly zone?: string | undefined
  readonly timeframeMs?: number | undefined
  /** The lengths that a candle may have. */
  readonly timeframesMs: ReadonlyArray<number>
  /** The most rows: each takes memory, however small it is in the file. */
  readonly rowsMax?: number | undefined
  /** The base asset: it tells volume in base from volume in quote. */
  readonly base?: string | undefined
}

/** The reading of a table. @category models @since 0.1.0 */
export interface CandleTableReading {
  readonly format: "delimited" | "json"
  readonly layout: string
  readonly hasHeader: boolean
  readonly columns: ReadonlyArray<{ readonly field: CandleField; readonly column: string }>
  readonly ignored: ReadonlyArray<string>
  readonly timeUnit: TableTimeUnit | null
  readonly dateOrder: TableDateOrder | null
  /** The zone that clocks without one were read in; null where every time says its own. */
  readonly zone: string | null
  readonly timeframeMs: number | null
  readonly isTimeframeFound: boolean
  /** How far apart rows usually lie; null where no timeframe is as long. */
  readonly stepMs: number | null
  /** Whether rows usually lie as far apart as a candle of some timeframe lasts. */
  readonly isStepKnown: boolean
  /** The number in the first row's cell of the time; null where that is a date. */
  readonly firstTime: number | null
  /** Whether the newest row comes first. */
  readonly isFalling: boolean
  /** The number of candles of a day or more that were moved to the start of their day. */
  readonly movedCount: number
  readonly hasVolume: boolean
  /** The number of skipped rows without prices, as on holidays. */
  readonly emptyCount: number
  /** The number of rows with prices and without a volume, which is 0 there. */
  readonly volumelessCount: number
  readonly ambiguities: ReadonlyArray<TableAmbiguity>
}

/** A table that was read: its candles with rising times, and the faults of its cells. */
export interface CandleTableContent {
  readonly columns: CandleColumns
  readonly faults: ReadonlyArray<TableFault>
  readonly reading: CandleTableReading
  /** The table row of a candle. */
  readonly rowOf: (index: number) => number
}

/** Reads a table of candles piece by piece. @category models @since 0.1.0 */
export interface CandleTable {
  /** Takes more text; returns the fault that stops the reading, or null. */
  readonly add: (text: string) => TableFault | null
  /** Whether the reader lists no further faults. */
  readonly isFull: () => boolean
  /** Ends the text, and decides how it is read, some rows at a time. */
  readonly end: () => Generator<void, CandleTableContent | TableFault>
}

const headLength = 65_536
const sampleCount = 200

const wholeFault = (message: string, code = "not_valid"): TableFault => ({
  row: null,
  field: null,
  code,
  message
})

const tooManyRows = (max: number): TableFault =>
  wholeFault(`The table has more than ${max} rows`, "too_many_rows")

const isFallingTime = (time: Float64Array): boolean => {
  const last = time[time.length - 1]!
  return time.length > 1 && last < time[0]!
}

/** Each number with a comma has three digits after it. */
const openDecimal: TableAmbiguity = {
  about: "decimal",
  read_as: "comma",
  or: "point",
  settle: "decimal=point",
  isOpen: true
}

/** The times of a table as they are decided, and the columns with them. */
function* resolved(
  rows: TableRows,
  layout: TableLayout,
  format: "delimited" | "json",
  isDecimalOpen: boolean,
  options: CandleTableOptions
): Generator<void, CandleTableContent | TableFault> {
  const { columns, kind, offset } = rows.take()
  const firstTime = kind[0] === timeKinds.epoch ? columns.time[0]! : null
  if (columns.length === 0 && rows.emptyCount() > 0) {
    return wholeFault("No row has prices: open, high, low and close are empty in each")
  }
  const zone = zoneClock(options.zone ?? "UTC")
  if (zone === null)
    return wholeFault(
      `The time zone ${quoted(options.zone)} is unknown; expected one such as Europe/Berlin`,
      "unknown_zone"
    )
  const raw = { length: columns.length, value: columns.time, kind, offset }
  const times: TimesReading = decideTimes(raw, {
    timeframeMs: options.timeframeMs,
    timeframesMs: options.timeframesMs,
    unit: options.timeUnit,
    dateOrder: options.dateOrder ?? rows.order() ?? undefined
  })
  yield
  const { movedCount } = yield* turnTimes(raw, times, options.zone === undefined ? null : zone)
  const isFalling = isFallingTime(columns.time)
  if (isFalling) for (const name of columnNames) columns[name].reverse()
  const last = columns.length - 1
  return {
    columns,
    faults: rows.faults,
    rowOf: (index) => rows.rowOf(isFalling ? last - index : index),
    reading: {
      format,
      layout: layout.name,
      hasHeader: layout.hasHeader,
      columns: columnNames
        .filter((field) => layout.places[field] >= 0)
        .map((field) => ({ field, column: columnOf(layout, field) })),
      ignored: layout.ignored,
      timeUnit: times.unit,
      dateOrder: times.dateOrder,
      zone: times.isLocal ? (options.zone ?? "UTC") : null,
      timeframeMs: times.timeframeMs,
      isTimeframeFound: options.timeframeMs === undefined,
      stepMs: times.stepMs,
      isStepKnown: times.isStepKnown,
      firstTime,
      isFalling,
      movedCount,
      hasVolume: layout.places.volume >= 0,
      emptyCount: rows.emptyCount(),
      volumelessCount: rows.volumelessCount(),
      ambiguities: [
        ...layout.ambiguities,
        ...times.ambiguities,
        ...(isDecimalOpen ? [openDecimal] : [])
      ]
    }
  }
}

const notText = "The file is not text, and has no other format that is known"

/** Whether characters stand there that no text has: pictures and documents have many of them. */
const isBinary = (head: string): boolean => {
  for (let at = 0; at < head.length; at++) {
    const code = head.charCodeAt(at)
    if (code < 9 || (code > 13 && code < 26)) return true
  }
  return false
}

const columnOf = ({ clockPlace, nameOf, places }: TableLayout, field: CandleField): string =>
  field === "time" && clockPlace >= 0
    ? `${nameOf(places.time)} ${nameOf(clockPlace)}`
    : nameOf(places[field])

/** The cells of a row of JSON. Cells of an object have the order of the first object's names. */
const cellsOf = (row: JsonRow, names: ReadonlyArray<string>): TableRow => {
  if (Array.isArray(row)) return row as TableRow
  const byName = row as Readonly<Record<string, unknown>>
  return names.map((name) => byName[name])
}

const splitterOf = (
  head: string,
  takeRow: (row: TableRow) => void,
  takeJson: (row: JsonRow) => void
) => {
  if (/^\s*[[{]/.test(head)) {
    const splitter = hasColumns(head) ? splitColumns(takeJson) : splitJson(takeJson)
    return { format: "json", splitter } as const
  }
  return { format: "delimited", splitter: splitDelimited(delimiterOf(head), takeRow) } as const
}

/**
 * Begins a table. Whether it is JSON or delimited text is seen from its beginning.
 *
 * @category constructors
 * @since 0.1.0
 */
export const beginCandleTable = (options: CandleTableOptions): CandleTable => {
  const { rowsMax = Infinity } = options
  let rowCount = 0
  let head = ""
  let splitter: RowSplitter | null = null
  let format: "delimited" | "json" = "delimited"
  let names: ReadonlyArray<string> | null = null
  let sample: Array<TableRow> = []
  let layout: TableLayout | null = null
  let rows: TableRows | null = null
  let numbers: FoundNumberStyle = { style: plainNumbers, isOpen: false }
  let fault: TableFault | null = null

  const decide = (): void => {
    const first = sample.slice(0, sampleCount)
    if (format !== "json") numbers = findNumberStyle(first, options.decimal)
    const given = { columns: options.columns ?? {}, base: options.base, numbers: numbers.style }
    const found = findLayout(first, names, given)
    if ("failure" in found) {
      fault = wholeFault(found.failure, "unknown_columns")
      return
    }
    layout = found
    rows = makeTableRows(found, numbers.style)
    for (const row of sample.slice(found.skippedCount)) rows.add(row)
    sample = []
  }
  const takeRow = (row: TableRow): void => {
    if (++rowCount > rowsMax) fault ??= tooManyRows(rowsMax)
    if (fault !== null) return
    if (rows !== null) return rows.isFull() ? undefined : rows.add(row)
    sample.push(row)
    if (sample.length === sampleCount) decide()
  }
  const takeJson = (row: JsonRow): void => {
    if (!Array.isArray(row)) names ??= Object.keys(row)
    takeRow(cellsOf(row, names ?? []))
  }
  const begin = (): RowSplitter => {
    head = head.replace(/^\uFEFF/, "")
    if (isBinary(head)) fault = wholeFault(notText, "unknown_format")
    ;({ format, splitter } = splitterOf(head, takeRow, takeJson))
    return splitter
  }
  const failed = (message: string | null): TableFault | null => {
    if (fault === null && message !== null) fault = wholeFault(message)
    return fault
  }
  return {
    add: (text) => {
      if (splitter !== null) return failed(splitter.add(text))
      head += text
      return head.length < headLength ? null : failed(begin().add(head))
    },
    isFull: () => rows?.isFull() ?? false,
    end: function* () {
      const isBegun = splitter !== null
      const last = splitter ?? begin()
      const failure = failed((isBegun ? null : last.add(head)) ?? last.end())
      if (failure !== null) return failure
      if (rows === null) decide()
      if (fault !== null || rows === null || layout === null) {
        return fault ?? wholeFault("The table has no rows")
      }
      return yield* resolved(rows, layout, format, numbers.isOpen, options)
    }
  }
}
