/**
 * Gains against losses around a threshold.
 *
 * @since 0.1.0
 */

/**
 * Sum of returns above the threshold over the sum of those below; NaN without a loss.
 *
 * @category metrics
 * @since 0.1.0
 */
export const omegaRatio = (returns: ArrayLike<number>, threshold = 0): number => {
  let gains = 0
  let losses = 0
  for (let index = 0; index < returns.length; index++) {
    const excess = returns[index]! - threshold
    if (excess > 0) gains += excess
    else losses -= excess
  }
  return losses > 0 ? gains / losses : Number.NaN
}
