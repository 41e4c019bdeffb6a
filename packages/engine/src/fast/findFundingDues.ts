/**
 * The candles at whose opens funding is due.
 *
 * @since 0.1.0
 */

/**
 * The number of times that funding is due from after one time to another. @category engine @since
 * 0.1.0
 */
export const fundingCountIn = (after: number, to: number, intervalMs: number): number =>
  Math.max(0, Math.floor(to / intervalMs) - Math.floor(after / intervalMs))

/**
 * Writes of each candle the next one, itself included, at whose open funding is due, and how often
 * it is due at its own. A candle without one before it pays none: nothing was held.
 *
 * @category engine
 * @since 0.1.0
 */
export const findFundingDues = (
  time: Float64Array,
  intervalMs: number,
  dues: Int32Array,
  counts: Int32Array
): void => {
  let due = time.length
  for (let index = time.length - 1; index >= 0; index--) {
    const count = index === 0 ? 0 : fundingCountIn(time[index - 1]!, time[index]!, intervalMs)
    if (count > 0) due = index
    counts[index] = count
    dues[index] = due
  }
}
