/**
 * The part of a benchmark's moves that is taken along.
 *
 * @since 0.1.0
 */
import { covariance, isSpread, arithmeticMean, standardDeviation, variance } from "../statistics.ts"

/**
 * Covariance with the benchmark's returns over their variance; NaN where those do not vary.
 *
 * @category metrics
 * @since 0.1.0
 */
export const beta = (returns: ArrayLike<number>, benchmark: ArrayLike<number>): number =>
  isSpread(standardDeviation(benchmark), arithmeticMean(benchmark))
    ? covariance(returns, benchmark) / variance(benchmark)
    : Number.NaN
