/**
 * The place of a moment among the times of candles or of a curve.
 *
 * They are sorted whole milliseconds.
 */

/** The first index whose time is at or after a moment; the length where none is. */
export const indexFrom = (times: ArrayLike<number>, moment: number): number => {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (times[middle]! < moment) low = middle + 1
    else high = middle
  }
  return low
}

/** The last index whose time is at or before a moment, or -1. */
export const indexUntil = (times: ArrayLike<number>, moment: number): number =>
  indexFrom(times, moment + 1) - 1
