/**
 * What the winning positions made against what the losing ones cost.
 *
 * @since 0.1.0
 */

/** Gross profit over gross loss, in money; NaN without a loss. @category metrics @since 0.1.0 */
export const profitFactor = (pnls: ArrayLike<number>): number => {
  let gains = 0
  let losses = 0
  for (let index = 0; index < pnls.length; index++) {
    if (pnls[index]! > 0) gains += pnls[index]!
    else losses -= pnls[index]!
  }
  return losses > 0 ? gains / losses : Number.NaN
}
