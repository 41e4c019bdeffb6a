/**
 * Columns of candles as programs without types may pass them: checked once, or refused.
 */
import { invalidInput } from "../language/Fault.ts"
import { type Fault } from "../language/Fault.ts"
import { type Timeframe, timeframeMs, timeframeNames } from "../language/Timeframe.ts"
import { type CandleFault, checkCandles } from "../kernel/checkCandles.ts"
import { type CandleColumns, columnNames } from "../kernel/columns.ts"

/** Columns without a fault, each with the timeframe whose strategies it was last given to. */
const known = new WeakMap<CandleColumns, Timeframe | null>()

/** Notes that columns were checked elsewhere. */
export const markChecked = (columns: CandleColumns): void => {
  known.set(columns, null)
}

/** The faults of the arrays themselves. */
const shapeFaults = (columns: unknown, pointer: string): ReadonlyArray<Fault> => {
  const made = "candles(rows) makes them"
  if (typeof columns !== "object" || columns === null || Array.isArray(columns)) {
    return [{ pointer, code: "wrong_type", message: `Expected columns of candles; ${made}` }]
  }
  const fields = columns as Readonly<Record<string, unknown>>
  const length = fields["time"] instanceof Float64Array ? fields["time"].length : fields["length"]
  return [...columnNames, "length"].flatMap((name): ReadonlyArray<Fault> => {
    const column = fields[name]
    const at = `${pointer}/${name}`
    if (name === "length") {
      if (column === length) return []
      const message = `length must be that of the columns, ${String(length)}`
      return [{ pointer: at, code: "wrong_length", message }]
    }
    if (!(column instanceof Float64Array)) {
      return [
        { pointer: at, code: "wrong_type", message: `${name} must be a Float64Array; ${made}` }
      ]
    }
    if (column.length === length) return []
    const message = `${name} has ${column.length} values where time has ${String(length)}`
    return [{ pointer: at, code: "wrong_length", message }]
  })
}

/** Whether `checkCandles` would find nothing and take nothing out; nothing is copied. */
const isClean = ({ close, high, length, low, open, time, volume }: CandleColumns): boolean => {
  let before = -Infinity
  for (let row = 0; row < length; row++) {
    const now = time[row]!
    const lowest = low[row]!
    const highest = high[row]!
    // A comparison with NaN is false.
    const isOrdered =
      now > before &&
      lowest > 0 &&
      lowest <= open[row]! &&
      lowest <= close[row]! &&
      highest >= open[row]! &&
      highest >= close[row]! &&
      highest < Infinity &&
      volume[row]! >= 0 &&
      volume[row]! < Infinity
    if (!isOrdered || !Number.isInteger(now)) return false
    before = now
  }
  return true
}

/** The fault with the fields that are meant, where the kernel says only that there are some. */
export const toRowFault = (
  { code, message, row }: CandleFault,
  columns: CandleColumns,
  pointer: string
): Fault => {
  const wrong = columnNames.filter((name) => !Number.isFinite(columns[name][row]))
  const isTime = code === "not_finite" && wrong.includes("time")
  const numbers = wrong.filter((name) => name !== "time")
  const parts = [
    ...(isTime ? ["time must be epoch milliseconds, a date or ISO 8601 text"] : []),
    ...(numbers.length > 0 ? [`${numbers.join(", ")} must be a finite number`] : [])
  ]
  const said =
    code === "not_finite"
      ? parts.join("; ")
      : code === "not_aligned"
        ? `time ${columns.time[row]} must be a whole number of milliseconds`
        : message
  return { pointer: `${pointer}/${row}`, code, message: `Row ${row}: ${said}` }
}

const valueFaults = (columns: CandleColumns, pointer: string): ReadonlyArray<Fault> => {
  const { faults } = checkCandles(columns, 1)
  if (faults.length > 0) return faults.map((fault) => toRowFault(fault, columns, pointer))
  const message = "Times must rise from row to row; candles(columns) takes candles once"
  return [{ pointer: `${pointer}/time`, code: "out_of_order", message }]
}

/** Candles must be as long as the strategy takes them to be; some may be missing. */
const spacingFault = (
  { length, time }: CandleColumns,
  timeframe: Timeframe,
  pointer: string
): Fault | null => {
  const candleMs = timeframeMs(timeframe)
  let least = Infinity
  let odd = -1
  for (let row = 1; row < length; row++) {
    const spacing = time[row]! - time[row - 1]!
    if (spacing < least) least = spacing
    if (odd < 0 && spacing % candleMs !== 0) odd = row
  }
  // Two candles may stand on both sides of a gap; of more, some follow each other.
  if (odd < 0 && (length < 3 || least === candleMs)) return null
  const name = timeframeNames.find((one) => timeframeMs(one) === least)
  const apart = name ?? `${least} ms`
  const message =
    least === candleMs || (least < candleMs && length < 3)
      ? `Row ${odd}: its time is no multiple of ${timeframe} after the row before it`
      : `The strategy's timeframe is ${timeframe}, and the candles are ${apart} apart`
  return { pointer: `${pointer}/time`, code: "timeframe_mismatch", message }
}

/** Throws every fault of columns of any timeframe. */
export const checkValues = (columns: CandleColumns, pointer: string): void => {
  if (known.has(columns)) return
  const misshapen = shapeFaults(columns, pointer)
  if (misshapen.length > 0) throw invalidInput(misshapen)
  if (!isClean(columns)) throw invalidInput(valueFaults(columns, pointer))
  markChecked(columns)
}

/** Throws every fault of columns; they are looked at once for each timeframe. */
export const checkColumns = (
  columns: CandleColumns,
  timeframe: Timeframe,
  pointer: string
): void => {
  checkValues(columns, pointer)
  if (known.get(columns) === timeframe) return
  const fault = spacingFault(columns, timeframe, pointer)
  if (fault !== null) throw invalidInput([fault])
  known.set(columns, timeframe)
}

/** Throws where no candle counts: there are none, or all come before the first that does. */
export const checkCounted = (
  markets: ReadonlyArray<CandleColumns>,
  from: ReadonlyArray<number>
): void => {
  if (markets.some(({ length }, market) => from[market]! < length)) return
  const last = Math.max(...markets.map(({ length, time }) => time[length - 1] ?? -Infinity))
  const code = "no_market_data"
  if (last === -Infinity) {
    throw invalidInput([{ pointer: "/candles", code, message: "The input has no candles" }])
  }
  const message = `from is after the last candle, which opens at ${new Date(last).toISOString()}`
  throw invalidInput([{ pointer: "/from", code, message }])
}

/** Throws every fault of candles that are to be shorter than the strategy's. */
export const checkDetail = (
  columns: CandleColumns,
  timeframe: Timeframe,
  pointer: string
): void => {
  checkValues(columns, pointer)
  const { time } = columns
  const candleMs = timeframeMs(timeframe)
  const isShort = (at: number, row: number) => row > 0 && at - time[row - 1]! < candleMs
  if (columns.length < 2 || time.some(isShort)) return
  const message = `Detail must be candles shorter than ${timeframe}`
  throw invalidInput([{ pointer: `${pointer}/time`, code: "timeframe_mismatch", message }])
}
