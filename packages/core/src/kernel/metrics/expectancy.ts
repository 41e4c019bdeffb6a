/**
 * What a position earns on average.
 *
 * @since 0.1.0
 */
import { mean } from "../statistics.ts"
import { payoffRatio } from "./payoffRatio.ts"
import { winRate } from "./winRate.ts"

/**
 * Mean result of the closed positions, in quote currency; NaN of none.
 *
 * @category metrics
 * @since 0.1.0
 */
export const expectancy = (pnls: ArrayLike<number>): number => mean(pnls)

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
export const expectancyRatio = (pnls: ArrayLike<number>): number =>
  (1 + payoffRatio(pnls)) * winRate(pnls) - 1
