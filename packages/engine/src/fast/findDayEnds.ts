/**
 * Where UTC days end in a series.
 *
 * @since 0.1.0
 */
import { endOfDay, firstFrom } from "../kernel/metrics/dailyReturns.ts"

/** Index of the last candle of each UTC day that has one. */
export const findDayEnds = (time: Float64Array): Int32Array => {
  const ends: Array<number> = []
  // Most days have as many candles as the day before.
  let size = 1
  for (let from = 0; from < time.length; from += size) {
    const next = firstFrom(time, from, endOfDay(time[from]!), from + size)
    size = next - from
    ends.push(next - 1)
  }
  return Int32Array.from(ends)
}
