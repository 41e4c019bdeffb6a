/**
 * The loss of the bad periods.
 *
 * @since 0.1.0
 */
import { quantile } from "../statistics.ts"

/**
 * The return that all but the fraction `tail` of the periods stay above.
 *
 * @category metrics
 * @since 0.1.0
 */
export const valueAtRisk = (returns: ArrayLike<number>, tail = 0.05): number =>
  quantile(returns, tail)

/** Mean of the returns at or below the value at risk. @category metrics @since 0.1.0 */
export const conditionalValueAtRisk = (returns: ArrayLike<number>, tail = 0.05): number => {
  const limit = valueAtRisk(returns, tail)
  let sum = 0
  let count = 0
  for (let index = 0; index < returns.length; index++) {
    if (returns[index]! <= limit) {
      sum += returns[index]!
      count++
    }
  }
  return sum / count
}
