/**
 * Candles from rows, arrays, or columns of a program.
 *
 * @since 0.1.0
 */
import { invalidInput } from "../language/Fault.ts"
import { refuse } from "../language/Fault.ts"
import { checkCandles } from "../kernel/checkCandles.ts"
import { type CandleColumns, columnNames, makeColumns } from "../kernel/columns.ts"
import { type CandleTime, toMs } from "./candleTime.ts"
import { markChecked, toRowFault } from "./checkColumns.ts"

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

/** Candles as arrays of any kind, one for each field. @category models @since 0.1.0 */
export interface CandleArrays {
  readonly time: ArrayLike<CandleTime>
  readonly open: ArrayLike<number>
  readonly high: ArrayLike<number>
  readonly low: ArrayLike<number>
  readonly close: ArrayLike<number>
  /** 0 where it is not known. */
  readonly volume?: ArrayLike<number> | undefined
}

const valuesOf = (row: CandleRow | CandleTuple, index: number): ReadonlyArray<number> => {
  if (typeof row !== "object" || row === null) {
    return refuse(`/${index}`, "wrong_type", `Row ${index}: expected an object or an array`)
  }
  if (!Array.isArray(row)) {
    const { close, high, low, open, time, volume = 0 } = row as CandleRow
    return [toMs(time), ...[open, high, low, close, volume].map(toNumber)]
  }
  const [time, open, high, low, close, volume = 0] = row as CandleTuple
  return [toMs(time), ...[open, high, low, close, volume].map(toNumber)]
}

/** NaN, which is refused, for values that a column would take for a number: text, true, null. */
const toNumber = (value: unknown): number => (typeof value === "number" ? value : Number.NaN)

/** Whether there is a length that memory can be taken for. */
const isLong = (column: unknown): column is ArrayLike<unknown> =>
  typeof column === "object" &&
  column !== null &&
  "length" in column &&
  Number.isInteger(column.length) &&
  Number(column.length) >= 0 &&
  Number(column.length) <= 2 ** 32

const ofRows = (rows: ReadonlyArray<CandleRow | CandleTuple>): CandleColumns => {
  const columns = makeColumns(rows.length)
  for (let index = 0; index < rows.length; index++) {
    const values = valuesOf(rows[index]!, index)
    columnNames.forEach((name, field) => {
      columns[name][index] = values[field]!
    })
  }
  return columns
}

const ofArrays = (arrays: CandleArrays): CandleColumns => {
  if (!isLong(arrays.time)) return refuse("/time", "wrong_type", "time must be an array")
  const columns = makeColumns(arrays.time.length)
  const { length } = columns
  for (const name of columnNames) {
    const given = arrays[name]
    if (name === "volume" && given === undefined) continue
    if (!isLong(given)) return refuse(`/${name}`, "wrong_type", `${name} must be an array`)
    if (given.length !== length) {
      const message = `${name} has ${given.length} values where time has ${length}`
      return refuse(`/${name}`, "wrong_length", message)
    }
    if (given instanceof Float64Array) columns[name].set(given)
    else if (name === "time") columns.time.set(Array.from(arrays.time, toMs))
    else columns[name].set(Array.from(given, toNumber))
  }
  return columns
}

/**
 * Candles as columns, checked: finite numbers, rising times, a high and a low that hold the rest.
 *
 * **Details**
 *
 * Takes rows as objects or tuples, or an array for each field. Throws an `InvalidInput` that names every
 * faulty row, at most 100 of them, counted from 0. Rows that stand twice with the same values are
 * taken once.
 *
 * @category constructors
 * @since 0.1.0
 */
export const candles = (
  rows: ReadonlyArray<CandleRow | CandleTuple> | CandleArrays
): CandleColumns => {
  if (typeof rows !== "object" || rows === null) {
    return refuse("", "wrong_type", "Expected rows of candles, or an array for each field")
  }
  const isOfRows = !("time" in rows) && "length" in rows
  if (isOfRows && !isLong(rows)) {
    return refuse("", "wrong_type", "Expected rows of candles, got a length that is no number")
  }
  const columns = isOfRows ? ofRows(rows) : ofArrays(rows)
  // Without a timeframe there is no grid to lie on: any millisecond may be the start of a candle.
  const checked = checkCandles(columns, 1)
  if (checked.faults.length > 0) {
    throw invalidInput(checked.faults.map((fault) => toRowFault(fault, columns, "")))
  }
  markChecked(checked.columns)
  return checked.columns
}
