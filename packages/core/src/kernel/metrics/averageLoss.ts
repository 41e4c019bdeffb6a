/**
 * What a losing position costs.
 *
 * @since 0.1.0
 */
import { mean } from "../statistics.ts"

/** Mean of the results below 0, itself below 0; NaN without one. @category metrics @since 0.1.0 */
export const averageLoss = (pnls: ArrayLike<number>): number =>
  mean(Array.from(pnls).filter((pnl) => pnl < 0))
