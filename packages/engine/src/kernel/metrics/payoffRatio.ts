/**
 * The average win over the average loss.
 *
 * @since 0.1.0
 */
import { averageLoss } from "./averageLoss.ts"
import { averageWin } from "./averageWin.ts"
import type { ResultSums } from "./positionSums.ts"

/**
 * Mean win over the size of the mean loss; NaN without wins or losses.
 *
 * @category metrics
 * @since 0.1.0
 */
export const payoffRatio = (pnls: ResultSums): number => averageWin(pnls) / -averageLoss(pnls)
