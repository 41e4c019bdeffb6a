/**
 * Return beyond a benchmark's for each unit of risk beyond it.
 *
 * @since 0.1.0
 */
import { excessReturns } from "./excessReturns.ts"
import { sharpeRatio } from "./sharpeRatio.ts"

/**
 * Mean over standard deviation (ddof 1) of the returns in excess of the benchmark's, annualised;
 * NaN where the excess does not vary.
 *
 * @category metrics
 * @since 0.1.0
 */
export const informationRatio = (
  returns: ArrayLike<number>,
  benchmark: ArrayLike<number>,
  periodsPerYear: number
): number => sharpeRatio(excessReturns(returns, benchmark), periodsPerYear)
