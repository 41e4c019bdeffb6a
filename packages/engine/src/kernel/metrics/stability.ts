/**
 * The straightness of equity's growth.
 *
 * @since 0.1.0
 */
import { correlation } from "./correlation.ts"

/**
 * R² of a straight line through the logarithm of equity after each return; NaN where equity never
 * changed or was lost.
 *
 * @category metrics
 * @since 0.1.0
 */
export const stability = (returns: ArrayLike<number>): number => {
  let sum = 0
  const logarithms = Float64Array.from(returns, (value) => (sum += Math.log1p(value)))
  return (
    correlation(
      logarithms,
      logarithms.map((_, index) => index)
    ) ** 2
  )
}
