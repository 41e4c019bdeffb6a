/**
 * The share of periods with a gain.
 *
 * @since 0.1.0
 */

/**
 * Share of returns above 0; NaN of none.
 *
 * **Gotchas**
 *
 * A period in which nothing changed counts as one that was no gain.
 *
 * @category metrics
 * @since 0.1.0
 */
export const positivePeriods = (returns: ArrayLike<number>): number => {
  let gains = 0
  for (let index = 0; index < returns.length; index++) if (returns[index]! > 0) gains++
  return gains / returns.length
}
