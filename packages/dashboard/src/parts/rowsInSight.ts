/**
 * Which rows of a long table are drawn.
 */

/** The height of a row. */
export const rowPx = 40

/** How many rows beyond those in sight are drawn as well. */
export const rowsBeyond = 12

/** Which rows are in sight, of so many, in a window of this height. */
export const rowsInSight = (
  scrolledPx: number,
  heightPx: number,
  count: number
): readonly [from: number, to: number] => {
  const from = Math.max(0, Math.floor(scrolledPx / rowPx) - rowsBeyond)
  const to = Math.min(count, Math.ceil((scrolledPx + heightPx) / rowPx) + rowsBeyond)
  return [Math.min(from, count), to]
}
