/**
 * Return for each unit of downside risk.
 *
 * @since 0.1.0
 */
import { mean } from "../statistics.ts"

/**
 * Mean over the root mean square of the losing returns, taken over all periods, annualised; NaN
 * without a loss.
 *
 * @category metrics
 * @since 0.1.0
 */
export const sortinoRatio = (returns: ArrayLike<number>, periodsPerYear: number): number => {
  let squares = 0
  for (let index = 0; index < returns.length; index++) {
    const loss = Math.min(returns[index]!, 0)
    squares += loss * loss
  }
  const downside = Math.sqrt(squares / returns.length)
  return downside > 0 ? (mean(returns) / downside) * Math.sqrt(periodsPerYear) : Number.NaN
}
