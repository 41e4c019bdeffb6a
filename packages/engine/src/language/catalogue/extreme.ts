/**
 * The best and the worst of many.
 *
 * @since 0.1.0
 */

/** The largest (`sign` 1) or smallest (-1) value; NaN of none. @category measuring @since 0.1.0 */
export const extreme = (values: ArrayLike<number>, sign: 1 | -1): number => {
  let best = values[0] ?? Number.NaN
  for (let index = 1; index < values.length; index++) {
    if ((values[index]! - best) * sign > 0) best = values[index]!
  }
  return best
}
