/**
 * The depth and the length of an equity curve's falls below its peaks.
 *
 * @since 0.1.0
 */

/**
 * Root mean square of the fraction lost since the highest equity so far, the initial one included,
 * after P. Martin; NaN of nothing.
 *
 * @category metrics
 * @since 0.1.0
 */
export const ulcerIndex = (initial: number, equity: ArrayLike<number>): number => {
  let peak = initial
  let squares = 0
  for (let index = 0; index < equity.length; index++) {
    peak = Math.max(peak, equity[index]!)
    const rate = (peak - equity[index]!) / peak
    squares += rate * rate
  }
  return Math.sqrt(squares / equity.length)
}
