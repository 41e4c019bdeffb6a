/**
 * Return for each unit of downside risk.
 *
 * @since 0.1.0
 */
import { arithmeticMean } from "../statistics.ts"
import { downsideDeviation } from "./downsideDeviation.ts"

/**
 * Mean over the root mean square of the losing returns, taken over all periods, annualised; NaN
 * without a loss.
 *
 * @category metrics
 * @since 0.1.0
 */
export const sortinoRatio = (returns: ArrayLike<number>, periodsPerYear: number): number => {
  const downside = downsideDeviation(returns, 1)
  return downside > 0
    ? (arithmeticMean(returns) / downside) * Math.sqrt(periodsPerYear)
    : Number.NaN
}
