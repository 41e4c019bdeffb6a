/**
 * The number of positions in a row that went the same way.
 *
 * @since 0.1.0
 */
import type { ResultSums } from "./positionSums.ts"

/**
 * The longest run of results above 0 (`sign` 1) or below 0 (-1), in closing order; NaN of none.
 *
 * **Gotchas**
 *
 * A position that broke even ends runs of both.
 *
 * @category metrics
 * @since 0.1.0
 */
export const longestStreak = (
  { count, longestLossStreak, longestWinStreak }: ResultSums,
  sign: 1 | -1
): number => (count === 0 ? Number.NaN : sign === 1 ? longestWinStreak : longestLossStreak)
