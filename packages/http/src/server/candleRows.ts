/**
 * Collects candles that arrive row by row into columns, and notes what is wrong with a row.
 *
 * @since 0.1.0
 */
import { type Fault, isoTimeMs } from "@candlewick/core"
import { type CandleColumns, columnNames, makeColumns, sliceColumns } from "@candlewick/core/kernel"

/** How many faulty rows are reported. @category tables @since 0.1.0 */
export const faultsMax = 100

/** Candles under collection. @category models @since 0.1.0 */
export interface CandleRows {
  /** Adds a row whose values stand in the order of the columns. */
  readonly add: (values: ReadonlyArray<unknown>) => void
  /** Notes that a row can't be read at all. */
  readonly refuse: (message: string) => void
  readonly faults: ReadonlyArray<Fault>
  readonly toColumns: () => CandleColumns
}

const readTime = (value: unknown): number => {
  if (typeof value === "number") return value
  if (typeof value !== "string") return Number.NaN
  const text = value.trim()
  return /^-?\d{1,16}$/.test(text) ? Number(text) : isoTimeMs(text)
}

const readNumber = (value: unknown): number =>
  typeof value === "number"
    ? value
    : typeof value === "string" && value.trim() !== ""
      ? Number(value)
      : Number.NaN

const grow = (columns: CandleColumns): CandleColumns => {
  const next = makeColumns(columns.length * 2)
  for (const name of columnNames) next[name].set(columns[name])
  return next
}

/** Begins a collection. @category constructors @since 0.1.0 */
export const makeCandleRows = (): CandleRows => {
  let columns = makeColumns(4096)
  let count = 0
  const faults: Array<Fault> = []
  const note = (pointer: string, message: string) => {
    if (faults.length < faultsMax) faults.push({ pointer, code: "not_valid", message })
  }
  return {
    faults,
    add: (values) => {
      if (count === columns.length) columns = grow(columns)
      for (let field = 0; field < columnNames.length; field++) {
        const name = columnNames[field]!
        const value = field === 0 ? readTime(values[0]) : readNumber(values[field])
        if (!Number.isFinite(value)) {
          const expected =
            field === 0 ? "epoch milliseconds or an ISO 8601 date-time" : "a finite number"
          note(`#/rows/${count}/${name}`, `Expected ${expected}`)
        }
        columns[name][count] = value
      }
      count += 1
    },
    refuse: (message) => {
      note(`#/rows/${count}`, message)
      count += 1
      if (count > columns.length) columns = grow(columns)
    },
    toColumns: () => sliceColumns(columns, 0, count)
  }
}
