/**
 * Statistics that begin anew after each period, several periods side by side.
 *
 * @since 0.1.0
 */
import { wholeMax, wholeStretch } from "../wholes.ts"
import { type ArrayTiles, tileArrayLength } from "./arrayTiles.ts"

/**
 * Goes on over whole groups of periods; returns the block after the last. Sums are of whole numbers
 * where there is a scale, else of doubles (0).
 */
export interface FollowPeriods {
  (block: number, end: number, scale: number): number
}

/** The part left to the caller: the first block, and the scale of all before it, or 0. */
export interface FollowedPeriods {
  readonly rest: number
  readonly scale: number
}

/**
 * Writes the values from `start` on, period by period, where a window has come round. Returns null
 * where a value on the way is not a number, or is no whole number after others that are. The
 * written values are then of no use.
 *
 * @category indicators
 * @since 0.1.0
 */
export const followPeriods = (
  tiles: ArrayTiles,
  source: Float64Array,
  start: number,
  period: number,
  follow: FollowPeriods
): FollowedPeriods | null => {
  const end = source.length
  const before = period - 1
  const first = start + before
  const max = wholeMax(period)
  const begun = wholeStretch(source, start, first + 1, period)
  let scale = begun.end > first ? begun.scale : 0
  const room = Math.ceil(before / 8) * 8
  // Four periods at once are the most that a kernel takes.
  const group = 4 * period
  const most = Math.floor((tileArrayLength - room) / group) * group
  let from = first
  if (most === 0) return { rest: from, scale }
  while (from + group <= end) {
    const count = Math.min(most, Math.floor((end - from) / group) * group)
    tiles.lay(from, count, 0, before)
    const tile = tiles.addresses[0]! - before * 8
    if (scale === 0) {
      if (tiles.functions.hasGap(tile, before + count) !== 0) return null
    } else if (tiles.functions.areWhole(tile, before + count, scale, max) === 0) {
      const whole = wholeStretch(source, start, from + count, period)
      if (whole.end < from + count) return null
      scale = whole.scale
    }
    follow(0, count, scale)
    tiles.keep(from, count, 0)
    from += count
  }
  return { rest: from, scale }
}
