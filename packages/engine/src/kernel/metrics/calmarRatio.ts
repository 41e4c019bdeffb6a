/**
 * Growth for each unit of the deepest fall.
 *
 * @since 0.1.0
 */

/**
 * Compound annual growth rate over the largest drawdown; NaN without one.
 *
 * @category metrics
 * @since 0.1.0
 */
export const calmarRatio = (growthRate: number, drawdownRate: number): number =>
  drawdownRate > 0 ? growthRate / drawdownRate : Number.NaN
