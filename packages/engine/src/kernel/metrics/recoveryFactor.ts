/**
 * The number of times that the deepest fall was earned back.
 *
 * @since 0.1.0
 */

/** Total return over the largest drawdown; NaN without one. @category metrics @since 0.1.0 */
export const recoveryFactor = (totalReturn: number, drawdownRate: number): number =>
  drawdownRate > 0 ? totalReturn / drawdownRate : Number.NaN
