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

/**
 * The merged series, and the times at which the two contradict each other; where there are any, it
 * must not be used.
 */
export interface Merge {
  readonly columns: CandleColumns
  readonly conflicts: ReadonlyArray<number>
}

const contradicts = (
  left: CandleColumns,
  leftIndex: number,
  right: CandleColumns,
  rightIndex: number
): boolean => columnNames.some((name) => left[name][leftIndex] !== right[name][rightIndex])

/**
 * Merges two series, each in strictly rising order of time; a candle that both have must be the
 * same in both.
 */
export const mergeCandles = (kept: CandleColumns, incoming: CandleColumns): Merge => {
  const merged = makeColumns(kept.length + incoming.length)
  const conflicts: Array<number> = []
  let length = 0
  const take = (from: CandleColumns, index: number) => {
    // Adding 0 makes of -0 the one zero that there is, so that equal series have equal bytes.
    for (const name of columnNames) merged[name][length] = from[name][index]! + 0
    length++
  }
  let left = 0
  let right = 0
  while (left < kept.length || right < incoming.length) {
    const leftTime = left < kept.length ? kept.time[left]! : Number.POSITIVE_INFINITY
    const rightTime = right < incoming.length ? incoming.time[right]! : Number.POSITIVE_INFINITY
    if (leftTime === rightTime && contradicts(kept, left, incoming, right)) conflicts.push(leftTime)
    if (rightTime <= leftTime) take(incoming, right++)
    else take(kept, left)
    if (leftTime <= rightTime) left++
  }
  return { columns: sliceColumns(merged, 0, length), conflicts }
}
