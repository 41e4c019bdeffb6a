/**
 * The sum of the winning positions.
 *
 * @since 0.1.0
 */
import type { ResultSums } from "./positionSums.ts"

/** Sum of the results above 0; NaN of none. @category metrics @since 0.1.0 */
export const grossProfit = ({ count, gains }: ResultSums): number =>
  count === 0 ? Number.NaN : gains
