/**
 * How many positions in a row went the same way.
 *
 * @since 0.1.0
 */

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
export const longestStreak = (pnls: ArrayLike<number>, sign: 1 | -1): number => {
  let longest = 0
  let current = 0
  for (let index = 0; index < pnls.length; index++) {
    current = pnls[index]! * sign > 0 ? current + 1 : 0
    longest = Math.max(longest, current)
  }
  return pnls.length === 0 ? Number.NaN : longest
}
