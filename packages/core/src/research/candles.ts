/**
 * Candles from whatever a program holds: rows, arrays, or columns.
 *
 * @since 0.1.0
 */
import { invalid } from "../domain/Problem.ts"
import { checkCandles } from "../kernel/checkCandles.ts"
import { type CandleColumns, columnNames, makeColumns } from "../kernel/columns.ts"

/**
 * When a candle opened: epoch milliseconds, a date, or ISO 8601 text.
 *
 * @category models
 * @since 0.1.0
 */
export type CandleTime = number | string | Date

/** One candle as an object; volume is 0 where it is not known. @category models @since 0.1.0 */
export interface CandleRow {
  readonly time: CandleTime
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume?: number | undefined
}

/** One candle as exchanges write it: time, open, high, low, close, volume. */
type CandleTuple = readonly [
  time: CandleTime,
  open: number,
  high: number,
  low: number,
  close: number,
  volume?: number
]

const toMs = (time: CandleTime): number =>
  typeof time === "number" ? time : time instanceof Date ? time.getTime() : Date.parse(time)

const valuesOf = (row: CandleRow | CandleTuple): ReadonlyArray<number> => {
  if ("time" in row) {
    return [toMs(row.time), row.open, row.high, row.low, row.close, row.volume ?? 0]
  }
  const [time, open, high, low, close, volume = 0] = row
  return [toMs(time), open, high, low, close, volume]
}

/**
 * Candles as columns, checked: finite numbers, rising times, a high and a low that hold the rest.
 *
 * **Details**
 *
 * Throws a `Problem` that names every faulty row, at most 100 of them, counted from 0. Rows that
 * stand twice with the same values are taken once.
 *
 * @category constructors
 * @since 0.1.0
 */
export const candles = (
  rows: ReadonlyArray<CandleRow | CandleTuple> | CandleColumns
): CandleColumns => {
  const columns = "length" in rows && !("time" in rows) ? toColumns(rows) : rows
  // Without a timeframe there is no grid to lie on: any millisecond may be the start of a candle.
  const checked = checkCandles(columns, 1)
  if (checked.faults.length === 0) return checked.columns
  throw invalid(
    checked.faults.map(({ code, message, row }) => ({
      pointer: `/${row}`,
      code,
      message: `Row ${row}: ${message}`
    }))
  )
}

const toColumns = (rows: ReadonlyArray<CandleRow | CandleTuple>): CandleColumns => {
  const columns = makeColumns(rows.length)
  rows.forEach((row, index) => {
    const values = valuesOf(row)
    columnNames.forEach((name, field) => {
      columns[name][index] = values[field]!
    })
  })
  return columns
}
