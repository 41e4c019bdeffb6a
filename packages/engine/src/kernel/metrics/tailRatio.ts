/**
 * The size of the good periods next to the bad ones.
 *
 * @since 0.1.0
 */
import { quantile } from "../statistics.ts"

/**
 * Size of the return at the upper tail over that at the lower one; NaN where the lower one is 0.
 *
 * **Gotchas**
 *
 * Sizes only: it says nothing where both tails are gains, or both losses.
 *
 * @category metrics
 * @since 0.1.0
 */
export const tailRatio = (returns: ArrayLike<number>, tail = 0.05): number => {
  const low = Math.abs(quantile(returns, tail))
  return low > 0 ? Math.abs(quantile(returns, 1 - tail)) / low : Number.NaN
}
