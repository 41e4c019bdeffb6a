/**
 * The fills that a backtest expects beside those that a bot made, each difference with its cause.
 *
 * A fill is worth its quantity at the market's last close, less its price and its fee. These values
 * add up to the earnings of the fills. So differences of fills add up to the difference of both
 * results. Amounts are whole steps of 1e-8 of the quote currency, and no sum of them is rounded.
 *
 * @since 0.1.0
 */
import { type Cause, causes } from "./Cause.ts"
import type { Comparison, FillComparison } from "./Comparison.ts"
import { findCauses } from "./findCauses.ts"
import { pairFills } from "./pairFills.ts"

/**
 * Pairs the fills and finds the cause of each difference. The amounts of all causes and the
 * unexplained rest add up to `realizedSteps - expectedSteps`.
 *
 * @category comparisons
 * @since 0.1.0
 */
export const compareFills = (comparison: Comparison): FillComparison => {
  const { expectedSteps, pieces, realizedSteps } = pairFills(comparison)
  const differences = findCauses(comparison, pieces)
  const byCause = Object.fromEntries(causes.map((cause) => [cause, 0n])) as Record<Cause, bigint>
  let unexplainedSteps = 0n
  for (const { cause, steps } of differences) {
    if (cause === null) unexplainedSteps += steps
    else byCause[cause] += steps
  }
  return { expectedSteps, realizedSteps, byCause, unexplainedSteps, differences }
}
