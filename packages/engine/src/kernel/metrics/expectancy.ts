/**
 * The average result of a position.
 *
 * @since 0.1.0
 */
import { payoffRatio } from "./payoffRatio.ts"
import type { ResultSums } from "./positionSums.ts"
import { winRate } from "./winRate.ts"

/**
 * Mean result of the closed positions, in quote currency; NaN of none.
 *
 * @category metrics
 * @since 0.1.0
 */
export const expectancy = ({ count, sum }: ResultSums): number => sum / count

/**
 * Mean win over mean loss, plus one, times the win rate, less one; NaN without wins or losses.
 *
 * **Gotchas**
 *
 * A position that broke even counts in the win rate, as not won, but is no loss.
 *
 * @category metrics
 * @since 0.1.0
 */
export const expectancyRatio = (pnls: ResultSums): number =>
  (1 + payoffRatio(pnls)) * winRate(pnls) - 1
