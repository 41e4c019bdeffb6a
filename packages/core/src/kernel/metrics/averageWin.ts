/**
 * What a winning position makes.
 *
 * @since 0.1.0
 */
import { mean } from "../statistics.ts"

/** Mean of the results above 0; NaN without one. @category metrics @since 0.1.0 */
export const averageWin = (pnls: ArrayLike<number>): number =>
  mean(Array.from(pnls).filter((pnl) => pnl > 0))
