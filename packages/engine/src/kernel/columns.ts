/**
 * Candles as columns: one typed array for each field, so that kernels run over plain numbers.
 *
 * @since 0.1.0
 */

/**
 * Candles of one market and timeframe; `time` is the open time in epoch milliseconds.
 *
 * @category models
 * @since 0.1.0
 */
export interface CandleColumns {
  readonly length: number
  readonly time: Float64Array
  readonly open: Float64Array
  readonly high: Float64Array
  readonly low: Float64Array
  readonly close: Float64Array
  readonly volume: Float64Array
}

/**
 * The fields of `CandleColumns` in the order in which they are kept.
 *
 * @category tables
 * @since 0.1.0
 */
export const columnNames = ["time", "open", "high", "low", "close", "volume"] as const

const columnsOver = (length: number, at: (field: number) => Float64Array): CandleColumns => ({
  length,
  time: at(0),
  open: at(1),
  high: at(2),
  low: at(3),
  close: at(4),
  volume: at(5)
})

/** Columns of zeros. @category models @since 0.1.0 */
export const makeColumns = (length: number): CandleColumns =>
  columnsOver(length, () => new Float64Array(length))

/** The candles in `[from, to)`, as views of the same memory. @category models @since 0.1.0 */
export const sliceColumns = (
  columns: CandleColumns,
  from: number,
  to: number = columns.length
): CandleColumns => {
  const end = Math.max(from, Math.min(to, columns.length))
  return columnsOver(end - from, (field) => columns[columnNames[field]!].subarray(from, end))
}

/** A copy that shares nothing with the original. @category models @since 0.1.0 */
export const copyColumns = (columns: CandleColumns): CandleColumns =>
  columnsOver(columns.length, (field) => columns[columnNames[field]!].slice())

/** One candle; NaN where the columns have none. @category columns @since 0.1.0 */
export const candleAt = (columns: CandleColumns, index: number) => {
  const valueOf = (column: Float64Array) => column[index] ?? Number.NaN
  return {
    time: valueOf(columns.time),
    open: valueOf(columns.open),
    high: valueOf(columns.high),
    low: valueOf(columns.low),
    close: valueOf(columns.close),
    volume: valueOf(columns.volume)
  }
}

/** Index of the first candle that opened at or after `time`. @category models @since 0.1.0 */
export const indexAt = (columns: CandleColumns, time: number): number => {
  let low = 0
  let high = columns.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (columns.time[middle]! < time) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * The columns one after the other in memory that threads can share.
 *
 * @category models
 * @since 0.1.0
 */
export const toSharedColumns = (columns: CandleColumns): SharedArrayBuffer => {
  const { length } = columns
  const buffer = new SharedArrayBuffer(columnNames.length * length * 8)
  const all = new Float64Array(buffer)
  columnNames.forEach((name, field) => all.set(columns[name], field * length))
  return buffer
}

/** Columns over memory that `toSharedColumns` made. @category models @since 0.1.0 */
export const fromSharedColumns = (buffer: SharedArrayBuffer): CandleColumns => {
  const length = buffer.byteLength / 8 / columnNames.length
  return columnsOver(length, (field) => new Float64Array(buffer, field * length * 8, length))
}
