/**
 * Which rows of a long table are drawn.
 */

/** The height of a row that is one line. */
const linePx = 40

/** The height of a pair of cells on a phone, and of the rest of a row there. */
const pairPx = 46
const edgesPx = 17

/**
 * The height of a row: on a phone, its first cell, then pairs of cells below one another, and wide
 * cells on lines of their own.
 */
export const rowPxOf = (
  columns: ReadonlyArray<{ readonly isWide?: boolean }>,
  isPhone: boolean
): number => {
  if (!isPhone) return linePx
  const wideCount = columns.filter(({ isWide }) => isWide === true).length
  return edgesPx + pairPx * (1 + wideCount + Math.ceil((columns.length - 1 - wideCount) / 2))
}

/** How many rows beyond those in sight are drawn as well. */
export const rowsBeyond = 12

/** Which rows are in sight, of so many of this height, in a window of that height. */
export const rowsInSight = (
  scrolledPx: number,
  heightPx: number,
  count: number,
  rowPx: number
): readonly [from: number, to: number] => {
  const from = Math.max(0, Math.floor(scrolledPx / rowPx) - rowsBeyond)
  const to = Math.min(count, Math.ceil((scrolledPx + heightPx) / rowPx) + rowsBeyond)
  return [Math.min(from, count), to]
}
