/**
 * The average profit of a winning position.
 *
 * @since 0.1.0
 */
import type { ResultSums } from "./positionSums.ts"

/** Mean of the results above 0; NaN without one. @category metrics @since 0.1.0 */
export const averageWin = ({ gains, winCount }: ResultSums): number => gains / winCount
