/**
 * The yearly spread of returns.
 *
 * @since 0.1.0
 */
import { standardDeviation } from "../statistics.ts"

/**
 * Standard deviation (ddof 1) of the returns, annualised; NaN for fewer than two.
 *
 * @category metrics
 * @since 0.1.0
 */
export const volatility = (returns: ArrayLike<number>, periodsPerYear: number): number =>
  returns.length < 2 ? Number.NaN : standardDeviation(returns) * Math.sqrt(periodsPerYear)
