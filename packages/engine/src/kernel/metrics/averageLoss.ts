/**
 * The average loss of a losing position.
 *
 * @since 0.1.0
 */
import type { ResultSums } from "./positionSums.ts"

/** Mean of the results below 0, itself below 0; NaN without one. @category metrics @since 0.1.0 */
export const averageLoss = ({ lossCount, losses }: ResultSums): number => losses / lossCount
