/**
 * The sum of the losing positions.
 *
 * @since 0.1.0
 */
import type { ResultSums } from "./positionSums.ts"

/** Sum of the results below 0, itself not above 0; NaN of none. @category metrics @since 0.1.0 */
export const grossLoss = ({ count, losses }: ResultSums): number =>
  count === 0 ? Number.NaN : losses
