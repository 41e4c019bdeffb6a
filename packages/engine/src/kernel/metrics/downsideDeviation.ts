/**
 * The yearly spread of returns below 0.
 *
 * @since 0.1.0
 */

/**
 * Root mean square of the losing returns, taken over all periods, annualised; 0 without a loss, NaN
 * of nothing.
 *
 * @category metrics
 * @since 0.1.0
 */
export const downsideDeviation = (returns: ArrayLike<number>, periodsPerYear: number): number => {
  let squares = 0
  for (let index = 0; index < returns.length; index++) {
    const loss = Math.min(returns[index]!, 0)
    squares += loss * loss
  }
  return Math.sqrt(squares / returns.length) * Math.sqrt(periodsPerYear)
}
