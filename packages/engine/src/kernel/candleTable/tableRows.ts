/**
 * The rows of a table as columns, once it is known which cell is which field.
 *
 * @since 0.1.0
 */
import { type CandleColumns, columnNames, makeColumns, sliceColumns } from "../columns.ts"
import { isBlank, type NumberStyle, readNumber } from "./readNumber.ts"
import { noOffset, readTime, timeKinds } from "./readTime.ts"
import { type TableDateOrder, orderOfDate } from "./resolveTimes.ts"
import type { TableLayout } from "./tableLayout.ts"
import { type CandleField, quoted, type TableFault, type TableRow } from "./TableRow.ts"

const faultsMax = 100

/** Rows as columns that grow. */
const makeGrowing = () => {
  let columns = makeColumns(4_096)
  let kind = new Uint8Array(4_096)
  let offset = new Int16Array(4_096)
  let length = 0
  return {
    length: () => length,
    place: (): number => {
      if (length === columns.length) {
        const next = makeColumns(2 * length)
        for (const name of columnNames) next[name].set(columns[name])
        const kinds = new Uint8Array(2 * length)
        kinds.set(kind)
        const offsets = new Int16Array(2 * length)
        offsets.set(offset)
        columns = next
        kind = kinds
        offset = offsets
      }
      return length++
    },
    set: (row: number, field: CandleField, value: number) => void (columns[field][row] = value),
    setTime: (row: number, cell: { kind: number; value: number; offset: number }): void => {
      columns.time[row] = cell.value
      kind[row] = cell.kind
      offset[row] = cell.offset
    },
    take: () => ({
      columns: sliceColumns(columns, 0, length),
      kind: kind.subarray(0, length),
      offset: offset.subarray(0, length)
    })
  }
}

/** The columns of a table as they were read: raw times, each with its kind and offset. */
export interface TakenRows {
  readonly columns: CandleColumns
  readonly kind: Uint8Array
  readonly offset: Int16Array
}

/** The rows of a table. @category models @since 0.1.0 */
export interface TableRows {
  readonly faults: ReadonlyArray<TableFault>
  /** Whether so many cells are at fault that no more of them are noted. */
  readonly isFull: () => boolean
  /** The order of dates, where one of them has no other. */
  readonly order: () => TableDateOrder | null
  readonly take: () => TakenRows
  readonly add: (cells: TableRow) => void
  readonly emptyCount: () => number
  readonly volumelessCount: () => number
  /** The row of the table, with those that are empty, that a row of the columns comes from. */
  readonly rowOf: (index: number) => number
}

const expected = (field: CandleField): string =>
  field === "time" ? "a time: epoch seconds, ms or µs, or a date" : "a finite decimal number"

/** The number of rising numbers that are at most this one. */
const countUpTo = (rising: ReadonlyArray<number>, most: number): number => {
  let from = 0
  let to = rising.length
  while (from < to) {
    const middle = (from + to) >> 1
    if (rising[middle]! <= most) from = middle + 1
    else to = middle
  }
  return from
}

const prices = ["open", "high", "low", "close"] as const

/**
 * Begins the rows of a table with this layout. Rows without prices are passed over: files have them
 * for holidays and for hours without trades.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeTableRows = (layout: TableLayout, numbers: NumberStyle): TableRows => {
  const { clockPlace, places, width } = layout
  const growing = makeGrowing()
  const faults: Array<TableFault> = []
  const cell = { kind: 0, value: 0, offset: noOffset }
  /** The number of rows kept before each empty one. */
  const emptyAfter: Array<number> = []
  let volumelessCount = 0
  let isFull = false
  let order: TableDateOrder | null = null

  const note = (fault: TableFault) => {
    if (faults.length < faultsMax) faults.push(fault)
    isFull = faults.length === faultsMax
  }
  const fieldFault = (row: number, field: CandleField, found: unknown) =>
    note({
      row,
      field,
      code: "not_valid",
      message: `Expected ${expected(field)}, found ${quoted(found)}`
    })
  const addTime = (at: number, row: number, cells: TableRow): void => {
    const date = cells[places.time]
    const time = clockPlace >= 0 ? `${String(date)} ${String(cells[clockPlace])}` : date
    readTime(time, cell)
    growing.setTime(at, cell)
    if (cell.kind === timeKinds.packed) order ??= orderOfDate(cell.value)
    if (cell.kind === timeKinds.none) fieldFault(row, "time", time)
  }
  const addNumber = (at: number, row: number, field: CandleField, cells: TableRow): void => {
    const value = readNumber(cells[places[field]], numbers)
    growing.set(at, field, value)
    if (Number.isFinite(value)) return
    if (field !== "volume" || !isBlank(cells[places.volume])) {
      return fieldFault(row, field, cells[places[field]])
    }
    growing.set(at, "volume", 0)
    volumelessCount++
  }
  return {
    faults,
    isFull: () => isFull,
    order: () => order,
    take: growing.take,
    emptyCount: () => emptyAfter.length,
    volumelessCount: () => volumelessCount,
    rowOf: (index) => index + countUpTo(emptyAfter, index),
    add: (cells) => {
      const row = growing.length() + emptyAfter.length
      if (cells.length !== width) {
        growing.place()
        const message = `Expected ${width} cells, as in the first row, found ${cells.length}`
        return note({ row, field: null, code: "not_valid", message })
      }
      if (prices.every((field) => isBlank(cells[places[field]]))) {
        return void emptyAfter.push(growing.length())
      }
      const at = growing.place()
      addTime(at, row, cells)
      for (const field of prices) addNumber(at, row, field, cells)
      if (places.volume >= 0) addNumber(at, row, "volume", cells)
    }
  }
}
