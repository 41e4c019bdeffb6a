/**
 * System quality number.
 *
 * @since 0.1.0
 */
import { isSpread, mean, standardDeviation } from "../statistics.ts"

/**
 * Root of the count times mean over deviation (ddof 1) of the results; NaN for fewer than two
 * or without spread.
 *
 * @category metrics
 * @since 0.1.0
 */
export const sqn = (pnls: ArrayLike<number>): number => {
  if (pnls.length < 2) return Number.NaN
  const average = mean(pnls)
  const deviation = standardDeviation(pnls)
  return isSpread(deviation, average) ? (Math.sqrt(pnls.length) * average) / deviation : Number.NaN
}
