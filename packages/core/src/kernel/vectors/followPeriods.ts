/**
 * Statistics that begin anew after each period, several periods side by side.
 *
 * @since 0.1.0
 */
import { type Desk, deskLength } from "./Desk.ts"

/** Goes on over whole groups of periods; returns the block after the last. */
export interface FollowPeriods {
  (block: number, end: number): number
}

/**
 * Writes what follows from `block` on, where a window has come round; returns the block from which
 * on it is left to the caller, or -1 where a value on the way is not a number and what was written
 * is of no use.
 *
 * @category indicators
 * @since 0.1.0
 */
export const followPeriods = (
  desk: Desk,
  block: number,
  end: number,
  period: number,
  follow: FollowPeriods
): number => {
  const before = period - 1
  const room = Math.ceil(before / 8) * 8
  // Four periods at once are the most that a kernel takes.
  const group = 4 * period
  const most = Math.floor((deskLength - room) / group) * group
  if (most === 0) return block
  let from = block
  while (from + group <= end) {
    const count = Math.min(most, Math.floor((end - from) / group) * group)
    desk.lay(from, count, 0, before)
    const source = desk.addresses[0]!
    if (desk.functions.hasGap(source - before * 8, before + count) !== 0) return -1
    follow(0, count)
    desk.keep(from, count, 0)
    from += count
  }
  return from
}
