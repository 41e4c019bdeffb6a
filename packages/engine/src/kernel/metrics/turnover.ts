/**
 * The number of times that the capital was moved.
 *
 * @since 0.1.0
 */
import { arithmeticMean } from "../statistics.ts"

/** Notional of all fills over mean equity. @category metrics @since 0.1.0 */
export const turnover = (traded: number, equity: ArrayLike<number>): number =>
  traded / arithmeticMean(equity)
