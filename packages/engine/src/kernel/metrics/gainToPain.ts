/**
 * The gain for each unit lost on the way.
 *
 * @since 0.1.0
 */

/**
 * Sum of all returns over the sum of the losing ones, after J. Schwager; NaN without a loss.
 *
 * @category metrics
 * @since 0.1.0
 */
export const gainToPain = (returns: ArrayLike<number>): number => {
  let sum = 0
  let losses = 0
  for (let index = 0; index < returns.length; index++) {
    sum += returns[index]!
    losses -= Math.min(returns[index]!, 0)
  }
  return losses > 0 ? sum / losses : Number.NaN
}
