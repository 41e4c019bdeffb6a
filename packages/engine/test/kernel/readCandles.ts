import { type CandleColumns, columnNames, makeColumns } from "../../src/kernel/columns.ts"
import { readTable } from "./readTable.ts"

/** The first `rowCount` candles of a CSV file. */
export const readCandles = (path: string, rowCount?: number): CandleColumns => {
  const column = readTable(path, rowCount)
  const candles = makeColumns(column("time").length)
  for (const name of columnNames) candles[name].set(column(name))
  return candles
}
