/**
 * What the losing positions cost.
 *
 * @since 0.1.0
 */

/** Sum of the results below 0, itself not above 0; NaN of none. @category metrics @since 0.1.0 */
export const grossLoss = (pnls: ArrayLike<number>): number => {
  let sum = 0
  for (let index = 0; index < pnls.length; index++) sum += Math.min(pnls[index]!, 0)
  return pnls.length === 0 ? Number.NaN : sum
}
