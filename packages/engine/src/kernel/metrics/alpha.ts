/**
 * The yearly return beyond a benchmark's moves.
 *
 * @since 0.1.0
 */
import { arithmeticMean } from "../statistics.ts"
import { beta } from "./beta.ts"

/**
 * Mean return less beta times the benchmark's, annualised by multiplying, with a risk-free rate of
 * 0; NaN where the benchmark's returns do not vary.
 *
 * @category metrics
 * @since 0.1.0
 */
export const alpha = (
  returns: ArrayLike<number>,
  benchmark: ArrayLike<number>,
  periodsPerYear: number
): number =>
  (arithmeticMean(returns) - beta(returns, benchmark) * arithmeticMean(benchmark)) * periodsPerYear
