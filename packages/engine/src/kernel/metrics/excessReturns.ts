/**
 * Returns next to a benchmark's.
 *
 * @since 0.1.0
 */

/** Each return less the benchmark's of that period. @category metrics @since 0.1.0 */
export const excessReturns = (
  returns: ArrayLike<number>,
  benchmark: ArrayLike<number>
): Float64Array => Float64Array.from(returns, (value, index) => value - benchmark[index]!)
