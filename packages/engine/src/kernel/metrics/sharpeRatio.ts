/**
 * Return for each unit of risk.
 *
 * @since 0.1.0
 */
import { isSpread, arithmeticMean, standardDeviation } from "../statistics.ts"

/**
 * Mean over standard deviation (ddof 1) of the returns, annualised, with a risk-free rate of 0; NaN
 * without spread.
 *
 * @category metrics
 * @since 0.1.0
 */
export const sharpeRatio = (returns: ArrayLike<number>, periodsPerYear: number): number => {
  if (returns.length < 2) return Number.NaN
  const average = arithmeticMean(returns)
  const deviation = standardDeviation(returns)
  return isSpread(deviation, average)
    ? (average / deviation) * Math.sqrt(periodsPerYear)
    : Number.NaN
}
