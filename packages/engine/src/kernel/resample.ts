/**
 * Longer candles from shorter ones.
 *
 * Buckets begin at the UTC epoch; a week begins on Monday. Gaps stay gaps.
 *
 * @since 0.1.0
 */
import { dayMs } from "./calendar.ts"
import { type CandleColumns, makeColumns, sliceColumns } from "./columns.ts"

/**
 * Start of the bucket of `bucketMs` that holds `time`; weeks begin on Monday.
 *
 * @category models
 * @since 0.1.0
 */
export const bucketStart = (time: number, bucketMs: number): number => {
  // 1970-01-01 was a Thursday.
  const origin = bucketMs === 7 * dayMs ? 4 * dayMs : 0
  return Math.floor((time - origin) / bucketMs) * bucketMs + origin
}

/**
 * Returns the start of the bucket of which a series, whose first candle opens at `time`, has only
 * the rest. It is NaN where the series begins with a bucket.
 *
 * @category models
 * @since 0.1.0
 */
export const partialBucket = (time: number, bucketMs: number): number => {
  const start = bucketStart(time, bucketMs)
  return start === time ? Number.NaN : start
}

/**
 * Builds candles of `toMs` from candles of `fromMs`.
 *
 * **Details**
 *
 * First open, highest high, lowest low, last close, sum of volume. The first bucket is dropped
 * where the candles begin inside it, the last one unless its final short candle is there. The
 * missing part of either can't be known. `keepIncomplete` keeps both.
 *
 * @category models
 * @since 0.1.0
 */
export const resampleColumns = (
  columns: CandleColumns,
  fromMs: number,
  toMs: number,
  options: { readonly keepIncomplete?: boolean } = {}
): CandleColumns => {
  const built = makeColumns(columns.length)
  const keeps = options.keepIncomplete === true
  const partial = keeps ? Number.NaN : partialBucket(columns.time[0]!, toMs)
  let count = 0
  let current = Number.NaN
  for (let index = 0; index < columns.length; index++) {
    const start = bucketStart(columns.time[index]!, toMs)
    if (start === partial) continue
    if (start !== current) {
      current = start
      built.time[count] = start
      built.open[count] = columns.open[index]!
      built.high[count] = columns.high[index]!
      built.low[count] = columns.low[index]!
      built.volume[count] = 0
      count++
    }
    const at = count - 1
    if (columns.high[index]! > built.high[at]!) built.high[at] = columns.high[index]!
    if (columns.low[index]! < built.low[at]!) built.low[at] = columns.low[index]!
    built.close[at] = columns.close[index]!
    built.volume[at]! += columns.volume[index]!
  }
  const last = columns.length === 0 ? 0 : columns.time[columns.length - 1]! + fromMs
  const isOver = count === 0 || last >= built.time[count - 1]! + toMs
  return sliceColumns(built, 0, isOver || keeps ? count : count - 1)
}
