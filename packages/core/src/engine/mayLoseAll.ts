/**
 * Whether a candle's return may round to the loss of everything.
 *
 * @since 0.1.0
 */
import type { MarketSpec } from "../kernel/account.ts"
import type { CandleColumns } from "../kernel/columns.ts"

/** So small a part of a price is nothing beside it, and some more for rounding on the way. */
const lostShare = 2 ** -50

/**
 * Whether equity that is held may fall, from one close to the next, to so little that its return
 * rounds to -1: no returns come after that, and sums of returns do not know it.
 *
 * @category engine
 * @since 0.1.0
 */
export const mayLoseAll = (
  { close, length, low }: CandleColumns,
  from: number,
  { slippageRate, takerRate }: MarketSpec
): boolean => {
  // What costs leave where one position is left and another is opened in the same candle.
  const sold = (1 - slippageRate) * (1 - takerRate)
  const share = (lostShare * ((1 + slippageRate) * (1 + takerRate))) / sold
  for (let index = Math.max(1, from); index < length; index++) {
    if (low[index]! <= close[index - 1]! * share) return true
  }
  return false
}
