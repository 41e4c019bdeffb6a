/**
 * Collects candles that arrive row by row into columns, and notes what is wrong with a row.
 *
 * @since 0.1.0
 */
import type { Fault } from "@candlewick/core"
import { type CandleColumns, columnNames, makeColumns, sliceColumns } from "@candlewick/core/kernel"
import { faultsMax, fieldFault, readField } from "./importFaults.ts"

/** Candles under collection. @category models @since 0.1.0 */
export interface CandleRows {
  /** Adds a row whose values stand in the order of the columns. */
  readonly add: (values: ReadonlyArray<unknown>) => void
  /** Notes that a row can't be read at all. */
  readonly refuse: (message: string) => void
  readonly faults: ReadonlyArray<Fault>
  readonly toColumns: () => CandleColumns
}

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
  const note = (fault: Fault) => {
    if (faults.length < faultsMax) faults.push(fault)
  }
  return {
    faults,
    add: (values) => {
      if (count === columns.length) columns = grow(columns)
      for (let field = 0; field < columnNames.length; field++) {
        const name = columnNames[field]!
        const value = readField(name, values[field])
        if (!Number.isFinite(value)) note(fieldFault(count, name))
        columns[name][count] = value
      }
      count += 1
    },
    refuse: (message) => {
      note({ pointer: `#/rows/${count}`, code: "not_valid", message })
      count += 1
      if (count > columns.length) columns = grow(columns)
    },
    toColumns: () => sliceColumns(columns, 0, count)
  }
}
