/**
 * The sum of the winning positions over that of the losing ones.
 *
 * @since 0.1.0
 */
import type { ResultSums } from "./positionSums.ts"

/** Gross profit over gross loss, in money; NaN without a loss. @category metrics @since 0.1.0 */
export const profitFactor = ({ gains, losses }: ResultSums): number =>
  losses < 0 ? gains / -losses : Number.NaN
