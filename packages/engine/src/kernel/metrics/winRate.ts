/**
 * The share of positions that win.
 *
 * @since 0.1.0
 */
import type { ResultSums } from "./positionSums.ts"

/**
 * Share of closed positions with a profit after fees; NaN of none.
 *
 * @category metrics
 * @since 0.1.0
 */
export const winRate = ({ count, winCount }: ResultSums): number => winCount / count
