/**
 * How often a position wins.
 *
 * @since 0.1.0
 */

/**
 * Share of closed positions with a profit after fees; NaN of none.
 *
 * @category metrics
 * @since 0.1.0
 */
export const winRate = (pnls: ArrayLike<number>): number => {
  let wins = 0
  for (let index = 0; index < pnls.length; index++) if (pnls[index]! > 0) wins++
  return wins / pnls.length
}
