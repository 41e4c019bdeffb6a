/**
 * Checks imported candles before any of them is kept.
 *
 * @since 0.1.0
 */
import { type Fault, timeframeMs, timeframeNames, toTimestamp } from "@candlewick/engine"
import { beginCheck, type CandleColumns, indexAt, sliceColumns } from "@candlewick/engine/kernel"
import { Clock, Effect } from "effect"
import type { Candle } from "../../domain/Candle.ts"
import type { CandleReading } from "../../domain/CandleReading.ts"
import type { CandleImport } from "../../domain/operations/candleOperations.ts"
import { problem } from "../../domain/Problem.ts"

/** Candles without a fault that are over. */
export interface SoundCandles {
  readonly columns: CandleColumns
  readonly duplicateCount: number
  /** The last candle that came in, where it is not over. */
  readonly heldBack: Candle | null
}

/** The most faults of candles that a refusal lists. */
export const candleFaultsMax = 100

/** How many rows are checked in one turn of the event loop: about a millisecond. */
const rowsPerTurn = 16_384
// The years that a timestamp can name in four digits.
const timeMinMs = Date.parse("0001-01-01T00:00:00Z")
const timeMaxMs = Date.parse("9999-12-31T23:59:59Z")

/** The fault of a row, by its number in the file that it came in. */
export const rowFault = (
  { columns, reading }: CandleImport,
  index: number,
  code: string,
  message: string
): Fault => {
  const isReversed = reading?.row_order === "newest_first"
  const row = isReversed ? columns.length - 1 - index : index
  return { pointer: `/rows/${row}`, code, message: `Row ${row}: ${message}.` }
}

/** The refusal of candles with these faults. */
export const refuseRows = (faults: ReadonlyArray<Fault>) =>
  problem(
    "validation_failed",
    "The candles are not sound; rows count from 0. The server kept no row.",
    {
      errors: faults
    }
  )

/** The candle of columns at an index. */
export const candleOf = (columns: CandleColumns, index: number): Candle => ({
  time: columns.time[index]!,
  open: columns.open[index]!,
  high: columns.high[index]!,
  low: columns.low[index]!,
  close: columns.close[index]!,
  volume: columns.volume[index]!
})

const timeFaults = (request: CandleImport): ReadonlyArray<Fault> => {
  const { length, time } = request.columns
  return [0, length - 1]
    .filter((row) => !(time[row]! >= timeMinMs && time[row]! <= timeMaxMs))
    .map((row) =>
      rowFault(request, row, "time_out_of_range", `time ${time[row]} is in no year that we know`)
    )
}

/** How far apart the rows are at least, as a timeframe, or null. */
const stepOf = ({ length, time }: CandleColumns) => {
  let step = Infinity
  for (let row = 1; row < Math.min(length, 1_000); row++) {
    const since = time[row]! - time[row - 1]!
    if (since > 0 && since < step) step = since
  }
  return timeframeNames.find((name) => timeframeMs(name) === step) ?? null
}

const halfHourMs = timeframeMs("30m")

/** Whether all rows begin half an hour after a full one, as where a market opens at half past. */
const isAtHalfPast = ({ time }: CandleColumns): boolean =>
  time.every((at) => at % (2 * halfHourMs) === halfHourMs)

/** The remedy of a fault, as far as that is known. */
const settling = (code: string, { columns, key }: CandleImport): string => {
  if (code === "duplicate_differs") {
    return ": a clock that was set back repeats an hour; zone=… says which clock it is"
  }
  if (code !== "not_aligned") return ""
  const step = stepOf(columns)
  if (key.timeframe === "1h" && step === "1h" && isAtHalfPast(columns)) {
    return ": candles of 1h begin at the full hour in UTC; import those of 30m, of which hours are built"
  }
  return step === null || step === key.timeframe
    ? ": candles begin at multiples of their length in UTC; time_unit=… and zone=… say how times are meant"
    : `: the rows are ${step} apart, so that timeframe=${step} may be meant`
}

/** Questions that the file leaves open and that an import must not guess. */
export const openQuestions = (reading: CandleReading | undefined): ReadonlyArray<Fault> =>
  (reading?.ambiguities ?? [])
    .filter((one) => one.is_open)
    .map(({ about, or, read_as }) => ({
      pointer: `/${about}`,
      code: "ambiguous",
      message: `The file may be read as ${read_as} or as ${or}: say ${about}=${read_as} or ${about}=${or}.`
    }))

const minuteMs = timeframeMs("1m")
const dayMs = timeframeMs("1d")
// Two clocks are a little apart; a date begins up to fourteen hours earlier than it does in UTC.
const aheadMaxMs = (durationMs: number): number =>
  durationMs < dayMs ? minuteMs : 14 * timeframeMs("1h")

const settlingFuture = ({ reading }: CandleImport, aheadMs: number): string => {
  if (aheadMs > dayMs) return "date_order=… and time_unit=… say how times are meant"
  return typeof reading?.zone === "string"
    ? `times that name no zone were read as ${reading.zone}; zone=… says which clock they are of`
    : "most likely the clock of another zone wrote the times, which zone=… can't mend: they count in UTC"
}

/** The faults of candles that begin later than it is: a clock of another zone wrote their times. */
const futureFaults = (
  request: CandleImport,
  columns: CandleColumns,
  nowMs: number
): ReadonlyArray<Fault> => {
  const latestMs = nowMs + aheadMaxMs(timeframeMs(request.key.timeframe))
  const { length, time } = columns
  if (length === 0 || time[length - 1]! <= latestMs || time[length - 1]! > timeMaxMs) return []
  const message =
    `it begins at ${toTimestamp(time[length - 1]!)}, and it is ${toTimestamp(nowMs)} now: ` +
    settlingFuture(request, time[length - 1]! - nowMs)
  return [rowFault(request, indexAt(request.columns, time[length - 1]!), "in_the_future", message)]
}

/** How many candles are over. */
const overCount = ({ length, time }: CandleColumns, durationMs: number, nowMs: number): number => {
  let count = length
  while (count > 0 && time[count - 1]! + durationMs > nowMs) count--
  return count
}

/** The sound candles among those that came in, without those that are not over yet. */
export const soundCandles = Effect.fnUntraced(function* (request: CandleImport) {
  const { columns, key } = request
  const open = openQuestions(request.reading)
  if (open.length > 0) return yield* refuseRows(open)
  const durationMs = timeframeMs(key.timeframe)
  const check = beginCheck(columns, durationMs, candleFaultsMax)
  while (!check.advance(rowsPerTurn)) yield* Effect.yieldNow
  const checked = check.result()
  const faults = checked.faults.map(({ code, message, row }) =>
    rowFault(request, row, code, `${message}${settling(code, request)}`)
  )
  if (faults.length > 0) return yield* refuseRows(faults)
  const nowMs = yield* Clock.currentTimeMillis
  const future = futureFaults(request, checked.columns, nowMs)
  if (future.length > 0) return yield* refuseRows(future)
  const { length } = checked.columns
  const count = overCount(checked.columns, durationMs, nowMs)
  const sound: SoundCandles = {
    columns: count < length ? sliceColumns(checked.columns, 0, count) : checked.columns,
    duplicateCount: checked.duplicateCount,
    heldBack: count < length ? candleOf(checked.columns, length - 1) : null
  }
  if (sound.columns.length === 0) {
    return yield* problem("validation_failed", "The rows have no complete candle.")
  }
  const outside = timeFaults(request)
  return outside.length > 0 ? yield* refuseRows(outside) : sound
})
