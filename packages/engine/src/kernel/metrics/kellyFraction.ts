/**
 * The largest share of the capital to risk.
 *
 * @since 0.1.0
 */
import { payoffRatio } from "./payoffRatio.ts"
import type { ResultSums } from "./positionSums.ts"
import { winRate } from "./winRate.ts"

/**
 * Win rate, less the rate of the others over the payoff ratio, after J. Kelly; NaN without wins or
 * losses.
 *
 * **Gotchas**
 *
 * It is below 0 where the positions lose on average: nothing should be risked then.
 *
 * @category metrics
 * @since 0.1.0
 */
export const kellyFraction = (pnls: ResultSums): number => {
  const rate = winRate(pnls)
  return rate - (1 - rate) / payoffRatio(pnls)
}
