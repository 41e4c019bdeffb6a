/**
 * Reads a file of candles, packed or plain, with any columns and units.
 *
 * @since 0.1.0
 */
import { Effect, type Stream } from "effect"
import {
  beginCandleTable,
  beginCheck,
  type CandleColumns,
  type CandleTable,
  type CandleTableContent,
  type CandleTableReading,
  type ColumnMap,
  type TableFault
} from "@candlewick/engine/kernel"
import {
  type Fault,
  type Timeframe,
  timeframeMs,
  timeframeNames,
  timeframes
} from "@candlewick/engine"
import type { SeriesKey } from "../../../domain/Candle.ts"
import type { CandleReading } from "../../../domain/CandleReading.ts"
import type { ReadOptions } from "../../../domain/operations/candleOperations.ts"
import { Limits } from "../../../domain/Limits.ts"
import { invalid, type Problem, problem } from "../../../domain/Problem.ts"
import { marketSymbol } from "./marketSymbol.ts"
import { type Packing, unpackInto } from "./unpack.ts"

/** The candles of a file, its layout, and the faults of its rows. */
export interface ReadTable {
  readonly key: SeriesKey
  readonly columns: CandleColumns
  readonly reading: CandleReading
  readonly faults: ReadonlyArray<Fault>
}

const faultsMax = 100
/** How many characters are split into rows in one turn of the event loop: about a millisecond. */
const charactersPerTurn = 32_768

const timeframesMs = Object.values(timeframes)

const timeframeOf = (ms: number | null): Timeframe | null =>
  timeframeNames.find((name) => timeframeMs(name) === ms) ?? null

const columnMap = (text: string | undefined): ColumnMap =>
  Object.fromEntries(
    (text ?? "")
      .split(",")
      .filter((pair) => pair !== "")
      .map((pair) => pair.split(":"))
  ) as ColumnMap

const toFault = ({ code, field, message, row }: TableFault): Fault => {
  const place = row === null ? "#/rows" : `#/rows/${row}${field === null ? "" : `/${field}`}`
  return { pointer: place, code, message }
}

/** A fault of the whole file, or of an option of the caller. */
const faultOfWhole = (fault: TableFault): Fault => {
  const { code, message } = fault
  if (code === "unknown_zone") return { pointer: "/zone", code: "not_valid", message }
  return code === "unknown_format" ? { pointer: "#", code, message } : toFault(fault)
}

/** A decoder of the bytes' text: of UTF-16 where they begin so, as spreadsheets write it. */
const makeDecoder = () => {
  let decoder: InstanceType<typeof TextDecoder> | null = null
  return (bytes: Uint8Array, isMore: boolean): string => {
    if (decoder === null && bytes.length === 0) return ""
    decoder ??= new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-8")
    return decoder.decode(bytes, { stream: isMore })
  }
}

/** Gives a text to the table, with other work between its parts. */
const addText = Effect.fnUntraced(function* (table: CandleTable, text: string) {
  for (let from = 0; from < text.length; from += charactersPerTurn) {
    const fault = table.add(text.slice(from, from + charactersPerTurn))
    if (fault !== null) return yield* invalid([faultOfWhole(fault)])
    yield* Effect.yieldNow
  }
})

/** Takes all turns of a generator, with other work between them. */
export const inTurns = <A>(turns: Generator<void, A>): Effect.Effect<A> =>
  Effect.gen(function* () {
    for (;;) {
      const turn = turns.next()
      if (turn.done === true) return turn.value
      yield* Effect.yieldNow
    }
  })

const plausibleFromMs = Date.parse("1980-01-01T00:00:00Z")
const plausibleToMs = Date.parse("2100-01-01T00:00:00Z")

/**
 * The fault of a column that hardly has times: its numbers are no timeframe apart, and the caller
 * named it or they lie in no likely year. Null of another, and where the candles fit all the same.
 */
const columnFault = Effect.fnUntraced(function* (
  { columns, reading }: CandleTableContent,
  asked: ReadOptions
) {
  const { firstTime, isStepKnown } = reading
  if (firstTime === null || isStepKnown || columns.length < 2) return null
  const isPlausible = columns.time[0]! >= plausibleFromMs && columns.time[0]! < plausibleToMs
  if (isPlausible && columnMap(asked.columns).time === undefined) return null
  if (asked.timeframe !== undefined) {
    const check = beginCheck(columns, timeframeMs(asked.timeframe), 1)
    while (!check.advance(16_384)) yield* Effect.yieldNow
    if (check.result().faults.length === 0) return null
  }
  const column = reading.columns.find(({ field }) => field === "time")!.column
  const message =
    `The column ${JSON.stringify(column)} is read as times, and its rows, ${firstTime} first, are no timeframe apart: ` +
    "columns=time:… names another column, time_unit=… and timeframe=… say how its times are meant"
  const fault: Fault = { pointer: "#/rows/0/time", code: "not_valid", message }
  return fault
})

/** The fault of rows whose cells are all sound, in the numbers of the file. */
const furtherFaults = Effect.fnUntraced(function* (
  { columns, faults, rowOf }: CandleTableContent,
  durationMs: number
) {
  const known = new Set(faults.map(({ row }) => row))
  const check = beginCheck(columns, durationMs, faultsMax)
  while (!check.advance(16_384)) yield* Effect.yieldNow
  return check.result().faults.flatMap(({ code, message, row }) => {
    const at = rowOf(row)
    return known.has(at)
      ? []
      : [{ pointer: `#/rows/${at}`, code, message: `Row ${at}: ${message}` }]
  })
})

/** The note about rows that lie further apart than a candle lasts, so that gaps part them. */
const notesOfStep = ({ stepMs, timeframeMs: lengthMs }: CandleTableReading) => {
  const [step, length] = [timeframeOf(stepMs), timeframeOf(lengthMs)]
  return step !== null && length !== null && stepMs! > lengthMs!
    ? [
        `Rows are usually ${step} apart, and are read as candles of ${length}: timeframe=${step} may be meant.`
      ]
    : []
}

const notesOf = (reading: CandleTableReading): ReadonlyArray<string> => [
  ...notesOfStep(reading),
  ...(reading.zone === "UTC"
    ? ["Times name no zone, and are read as UTC: zone=… says which it is."]
    : []),
  ...(reading.hasVolume ? [] : ["The file has no volume: each candle gets 0."]),
  ...(reading.volumelessCount > 0
    ? [`The volume is missing in ${reading.volumelessCount} rows, and 0 there.`]
    : []),
  ...(reading.layout === "yahoo"
    ? ["Prices come from Open, High, Low and Close, and are not adjusted for dividends."]
    : [])
]

const readingOf = (
  reading: CandleTableReading,
  rowCount: number,
  packing: Packing
): CandleReading => ({
  format: reading.format,
  packing,
  layout: reading.layout,
  has_header: reading.hasHeader,
  columns: reading.columns,
  ignored_columns: reading.ignored,
  row_count: rowCount,
  empty_row_count: reading.emptyCount,
  time_unit: reading.timeUnit,
  date_order: reading.dateOrder,
  zone: reading.zone,
  timeframe: timeframeOf(reading.timeframeMs),
  is_timeframe_found: reading.isTimeframeFound,
  row_order: reading.isFalling ? "newest_first" : "oldest_first",
  moved_to_day_count: reading.movedCount,
  ambiguities: reading.ambiguities.map(({ isOpen, ...known }) => ({ ...known, is_open: isOpen })),
  notes: notesOf(reading)
})

const noTimeframe = (): Problem => {
  const message = `The steps between the rows fit no timeframe: add the right one, such as timeframe=1h.`
  return problem("validation_failed", message, {
    errors: [{ pointer: "/timeframe", code: "not_valid", message }]
  })
}

/**
 * Reads a file of candles as its bytes come: text or JSON, as it is, as gzip or in a zip archive.
 *
 * **Details**
 *
 * Fails where no candles can be made out. Rows that are at fault are reported in `faults`, at most
 * 100; where there are any, the columns must not be kept. A field that the caller leaves out is
 * found out, and reported in `reading`.
 *
 * @category combinators
 * @since 0.1.0
 */
export const readCandleTable = Effect.fnUntraced(function* <E>(
  bytes: Stream.Stream<Uint8Array, E>,
  asked: ReadOptions,
  maxBytes?: number
): Effect.fn.Return<ReadTable, Problem | E> {
  const symbol = yield* marketSymbol(asked.symbol, asked.currency)
  const table = beginCandleTable({
    columns: columnMap(asked.columns),
    timeUnit: asked.time_unit,
    dateOrder: asked.date_order,
    decimal: asked.decimal,
    zone: asked.zone,
    timeframeMs: asked.timeframe === undefined ? undefined : timeframeMs(asked.timeframe),
    timeframesMs,
    rowsMax: Limits.candleImportMaxRows,
    base: symbol.split("/")[0]
  })
  const decode = makeDecoder()
  const packing = yield* unpackInto(bytes, (piece) => addText(table, decode(piece, true)), {
    file: asked.file,
    ...(maxBytes === undefined ? {} : { maxBytes })
  })
  yield* addText(table, decode(new Uint8Array(0), false))
  const content = yield* inTurns(table.end())
  if (!("columns" in content)) return yield* invalid([faultOfWhole(content)])
  const unfit = content.faults.length === 0 ? yield* columnFault(content, asked) : null
  if (unfit !== null) return yield* invalid([unfit])
  const timeframe = asked.timeframe ?? timeframeOf(content.reading.timeframeMs)
  const faults = content.faults.map(toFault)
  if (timeframe === null) return yield* faults.length > 0 ? invalid(faults) : noTimeframe()
  // Rows whose cells are all sound are looked at before they are kept.
  const further = faults.length === 0 ? [] : yield* furtherFaults(content, timeframeMs(timeframe))
  return {
    key: { symbol, timeframe },
    columns: content.columns,
    reading: readingOf(content.reading, content.columns.length, packing),
    faults: [...faults, ...further].slice(0, faultsMax)
  }
})
