/**
 * The part of a benchmark's rises, or of its falls, that is taken along.
 *
 * @since 0.1.0
 */

/**
 * Over the periods in which the benchmark rose (`sign` 1) or fell (-1), the compounded mean of the
 * returns over that of the benchmark's. It is NaN without such a period.
 *
 * @category metrics
 * @since 0.1.0
 */
export const captureRatio = (
  returns: ArrayLike<number>,
  benchmark: ArrayLike<number>,
  sign: 1 | -1
): number => {
  let own = 0
  let other = 0
  let count = 0
  for (let index = 0; index < returns.length; index++) {
    if (benchmark[index]! * sign > 0) {
      own += Math.log1p(returns[index]!)
      other += Math.log1p(benchmark[index]!)
      count++
    }
  }
  return Math.expm1(own / count) / Math.expm1(other / count)
}
