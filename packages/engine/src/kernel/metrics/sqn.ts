/**
 * System quality number.
 *
 * @since 0.1.0
 */
import { isSpread } from "../statistics.ts"
import type { ResultSums } from "./positionSums.ts"

/**
 * Root of the count times mean over deviation (ddof 1) of the results; NaN for fewer than two
 * or without spread.
 *
 * @category metrics
 * @since 0.1.0
 */
export const sqn = ({ count, squares, sum }: ResultSums): number => {
  if (count < 2) return Number.NaN
  const average = sum / count
  const deviation = Math.sqrt(squares / (count - 1))
  return isSpread(deviation, average) ? (Math.sqrt(count) * average) / deviation : Number.NaN
}
