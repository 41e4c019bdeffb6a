/**
 * Where UTC days end in a series.
 *
 * @since 0.1.0
 */
import { dayMs, dayOf } from "../kernel/calendar.ts"

/** Index of the last candle of each UTC day that has one. */
export const findDayEnds = (time: Float64Array): Int32Array => {
  const ends: Array<number> = []
  let next = Number.NaN
  for (let index = 0; index < time.length; index++) {
    if (time[index]! < next) continue
    if (index > 0) ends.push(index - 1)
    next = (dayOf(time[index]!) + 1) * dayMs
  }
  if (time.length > 0) ends.push(time.length - 1)
  return Int32Array.from(ends)
}
