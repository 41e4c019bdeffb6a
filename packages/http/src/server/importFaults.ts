/**
 * The faults in rows of candles that were sent, in any format.
 *
 * @since 0.1.0
 */
import { type Fault, isoTimeMs, Problem, type Timeframe, timeframeMs } from "@candlewick/core"
import { type CandleColumns, type CandleField, checkCandles } from "@candlewick/core/kernel"

/** How many faulty rows are reported. @category tables @since 0.1.0 */
export const importFaultsMax = 100

const readTime = (value: unknown): number => {
  if (typeof value === "number") return value
  if (typeof value !== "string") return Number.NaN
  const text = value.trim()
  return /^-?\d{1,16}$/.test(text) ? Number(text) : isoTimeMs(text)
}

// JavaScript reads 0x1, 0b1 and 0o7 as numbers too. No file writes a price so.
const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

const readNumber = (value: unknown): number => {
  if (typeof value === "number") return value
  const text = typeof value === "string" ? value.trim() : ""
  return decimal.test(text) ? Number(text) : Number.NaN
}

/**
 * The number of a field, from a number or from text; not finite where it is none.
 *
 * @category conversions
 * @since 0.1.0
 */
export const readField = (name: CandleField, value: unknown): number =>
  name === "time" ? readTime(value) : readNumber(value)

/** That a field of a row is none. @category conversions @since 0.1.0 */
export const fieldFault = (row: number, name: CandleField): Fault => {
  const expected =
    name === "time" ? "epoch milliseconds or an ISO 8601 date-time" : "a finite decimal number"
  return { pointer: `#/rows/${row}/${name}`, code: "not_valid", message: `Expected ${expected}` }
}

/** The refusal of rows with these faults. @category constructors @since 0.1.0 */
export const refusedRows = (errors: ReadonlyArray<Fault>): Problem =>
  new Problem({
    code: "validation_failed",
    detail:
      errors.length === 1
        ? "1 row is not valid."
        : `${errors.length} faults were found in the rows.`,
    errors
  })

/**
 * The faults of rows as they were read, and the faults of candles in all other rows.
 *
 * @category conversions
 * @since 0.1.0
 */
export const withFurtherFaults = (
  faults: ReadonlyArray<Fault>,
  columns: CandleColumns,
  timeframe: Timeframe
): ReadonlyArray<Fault> => {
  const places = new Set(faults.map(({ pointer }) => pointer.split("/")[2]))
  const further = checkCandles(columns, timeframeMs(timeframe), importFaultsMax).faults.flatMap(
    ({ code, message, row }) =>
      places.has(String(row))
        ? []
        : [{ pointer: `#/rows/${row}`, code, message: `Row ${row}: ${message}` }]
  )
  return [...faults, ...further].slice(0, importFaultsMax)
}
