/**
 * Returns of an equity that may have been used up.
 *
 * @since 0.1.0
 */

/**
 * The returns, changed in place: equity that is used up has lost everything in that period, and
 * nothing changes after it.
 *
 * @category metrics
 * @since 0.1.0
 */
export const soundReturns = (returns: Float64Array): Float64Array => {
  const ruinIndex = returns.findIndex((value) => !(value > -1))
  if (ruinIndex >= 0) returns.fill(0, ruinIndex + 1)[ruinIndex] = -1
  return returns
}
