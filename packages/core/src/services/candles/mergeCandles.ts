/**
 * One series out of the candles that are kept and those that came in.
 *
 * @since 0.1.0
 */
import {
  type CandleColumns,
  columnNames,
  makeColumns,
  sliceColumns
} from "@candlewick/engine/kernel"
import { Effect } from "effect"

/** The merged series, and the times at which the two contradict each other. */
export interface Merge {
  readonly columns: CandleColumns
  readonly conflicts: ReadonlyArray<number>
  /** How many candles that came in have a time that none was kept of. */
  readonly addedCount: number
}

const contradicts = (
  left: CandleColumns,
  leftIndex: number,
  right: CandleColumns,
  rightIndex: number
): boolean => columnNames.some((name) => left[name][leftIndex] !== right[name][rightIndex])

const copyCandle = (from: CandleColumns, index: number, into: CandleColumns, at: number): void => {
  // Adding 0 makes of -0 the one zero that there is, so that equal series have equal bytes.
  into.time[at] = from.time[index]! + 0
  into.open[at] = from.open[index]! + 0
  into.high[at] = from.high[index]! + 0
  into.low[at] = from.low[index]! + 0
  into.close[at] = from.close[index]! + 0
  into.volume[at] = from.volume[index]! + 0
}

/** How many candles are merged in one turn of the event loop: about a millisecond. */
const candlesPerTurn = 16_384

/**
 * Merges two series, each in strictly rising order of time. Of a candle that both have, with other
 * values, the one of `winner` is taken. Other work of the event loop comes between stretches of a
 * long series.
 */
export const mergeCandles = Effect.fnUntraced(function* (
  kept: CandleColumns,
  incoming: CandleColumns,
  winner: "kept" | "incoming" = "incoming"
): Effect.fn.Return<Merge> {
  const merged = makeColumns(kept.length + incoming.length)
  const conflicts: Array<number> = []
  let length = 0
  let left = 0
  let right = 0
  let addedCount = 0
  const step = (): void => {
    const leftTime = left < kept.length ? kept.time[left]! : Number.POSITIVE_INFINITY
    const rightTime = right < incoming.length ? incoming.time[right]! : Number.POSITIVE_INFINITY
    if (leftTime === rightTime && contradicts(kept, left, incoming, right)) conflicts.push(leftTime)
    const isIncoming = rightTime < leftTime || (rightTime === leftTime && winner === "incoming")
    if (isIncoming) copyCandle(incoming, right, merged, length++)
    else copyCandle(kept, left, merged, length++)
    if (rightTime < leftTime) addedCount++
    if (rightTime <= leftTime) right++
    if (leftTime <= rightTime) left++
  }
  while (left < kept.length || right < incoming.length) {
    step()
    if (length % candlesPerTurn === 0) yield* Effect.yieldNow
  }
  return { columns: sliceColumns(merged, 0, length), conflicts, addedCount }
})
