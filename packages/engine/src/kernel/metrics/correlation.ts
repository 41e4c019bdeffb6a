/**
 * The degree to which two series move together.
 *
 * @since 0.1.0
 */
import { covariance, isSpread, arithmeticMean, standardDeviation } from "../statistics.ts"

/**
 * Covariance over both standard deviations, from -1 to 1; NaN where either does not vary.
 *
 * @category metrics
 * @since 0.1.0
 */
export const correlation = (left: ArrayLike<number>, right: ArrayLike<number>): number => {
  const deviation = standardDeviation(left)
  const other = standardDeviation(right)
  if (!isSpread(deviation, arithmeticMean(left)) || !isSpread(other, arithmeticMean(right)))
    return Number.NaN
  // Rounding may lead past the ends by a last bit.
  return Math.max(-1, Math.min(1, covariance(left, right) / deviation / other))
}
