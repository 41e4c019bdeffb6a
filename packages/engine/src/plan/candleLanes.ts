/**
 * Candles of a higher timeframe, built from shorter ones and seen only once they have closed.
 *
 * A candle inside of which the shorter ones begin is left out: its open is not known. A candle of a
 * lane closes with the shorter candle that ends when it does. Where that one is missing, it closes
 * with the next one that comes. Column and step forms fold the same numbers in the same order.
 *
 * @since 0.1.0
 */
import { makeColumns, sliceColumns } from "../kernel/columns.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import { bucketStart, partialBucket } from "../kernel/resample.ts"

/** One candle as numbers. @category models @since 0.1.0 */
export interface StepCandle {
  readonly time: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
}

/**
 * Longer candles, and for each shorter one the index of the last that had closed, or -1.
 *
 * @category models
 * @since 0.1.0
 */
export interface LaneColumns {
  readonly columns: CandleColumns
  readonly closedIndex: Int32Array
}

const openCandle = (columns: CandleColumns, at: number, start: number, from: StepCandle): void => {
  columns.time[at] = start
  columns.open[at] = from.open
  columns.high[at] = from.high
  columns.low[at] = from.low
  columns.close[at] = from.close
  columns.volume[at] = from.volume
}

const extendCandle = (columns: CandleColumns, at: number, by: StepCandle): void => {
  if (by.high > columns.high[at]!) columns.high[at] = by.high
  if (by.low < columns.low[at]!) columns.low[at] = by.low
  columns.close[at] = by.close
  columns.volume[at]! += by.volume
}

const candleIn = (columns: CandleColumns, at: number): StepCandle => ({
  time: columns.time[at]!,
  open: columns.open[at]!,
  high: columns.high[at]!,
  low: columns.low[at]!,
  close: columns.close[at]!,
  volume: columns.volume[at]!
})

/**
 * Builds the candles of a lane from whole columns.
 *
 * **Details**
 *
 * The last candle is left out unless it had closed by the end of the columns.
 *
 * @category lanes
 * @since 0.1.0
 */
export const toLaneColumns = (
  from: CandleColumns,
  fromMs: number,
  durationMs: number
): LaneColumns => {
  const columns = makeColumns(from.length)
  const closedIndex = new Int32Array(from.length)
  const partial = partialBucket(from.time[0]!, durationMs)
  let count = 0
  let closedCount = 0
  for (let index = 0; index < from.length; index += 1) {
    const candle = candleIn(from, index)
    const start = bucketStart(candle.time, durationMs)
    if (start === partial) {
      closedIndex[index] = -1
      continue
    }
    if (count > closedCount && columns.time[count - 1] !== start) closedCount = count
    if (count === closedCount) {
      openCandle(columns, count, start, candle)
      count += 1
    } else extendCandle(columns, count - 1, candle)
    if (candle.time + fromMs >= start + durationMs) closedCount = count
    closedIndex[index] = closedCount - 1
  }
  return { columns: sliceColumns(columns, 0, closedCount), closedIndex }
}

/**
 * The candles of another market, and for each own candle the index of the last of them that has
 * closed by then. It is the candle of the same time or, where the other market lacks one, the
 * candle before.
 *
 * @category lanes
 * @since 0.1.0
 */
export const alignedColumns = (own: CandleColumns, other: CandleColumns): LaneColumns => {
  const closedIndex = new Int32Array(own.length)
  let last = -1
  for (let index = 0; index < own.length; index += 1) {
    while (last + 1 < other.length && other.time[last + 1]! <= own.time[index]!) last += 1
    closedIndex[index] = last
  }
  return { columns: other, closedIndex }
}

/**
 * Builds the candles of a lane one shorter candle at a time; `onClosed` gets each as it closes.
 *
 * @category lanes
 * @since 0.1.0
 */
export const makeLaneStep = (
  fromMs: number,
  durationMs: number,
  onClosed: (candle: StepCandle) => void
): ((candle: StepCandle) => void) => {
  const forming = makeColumns(1)
  let partial: number | null = null
  let isForming = false
  const close = (): void => {
    isForming = false
    onClosed(candleIn(forming, 0))
  }
  return (candle) => {
    const start = bucketStart(candle.time, durationMs)
    partial ??= partialBucket(candle.time, durationMs)
    if (start === partial) return
    if (isForming && forming.time[0] !== start) close()
    if (isForming) extendCandle(forming, 0, candle)
    else {
      openCandle(forming, 0, start, candle)
      isForming = true
    }
    if (candle.time + fromMs >= start + durationMs) close()
  }
}
