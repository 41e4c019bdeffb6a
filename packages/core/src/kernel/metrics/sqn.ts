/**
 * System quality number.
 *
 * @since 0.1.0
 */
import { mean, standardDeviation } from "../statistics.ts"

/**
 * Root of the count times mean over deviation (ddof 1) of the results; NaN for fewer than two.
 *
 * @category metrics
 * @since 0.1.0
 */
export const sqn = (pnls: ArrayLike<number>): number => {
  if (pnls.length < 2) return Number.NaN
  const deviation = standardDeviation(pnls)
  return deviation > 0 ? (Math.sqrt(pnls.length) * mean(pnls)) / deviation : Number.NaN
}
