/**
 * The yearly distance of returns from a benchmark's.
 *
 * @since 0.1.0
 */
import { excessReturns } from "./excessReturns.ts"
import { volatility } from "./volatility.ts"

/**
 * Standard deviation (ddof 1) of the returns in excess of the benchmark's, annualised; NaN for
 * fewer than two.
 *
 * @category metrics
 * @since 0.1.0
 */
export const trackingError = (
  returns: ArrayLike<number>,
  benchmark: ArrayLike<number>,
  periodsPerYear: number
): number => volatility(excessReturns(returns, benchmark), periodsPerYear)
