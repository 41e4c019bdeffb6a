/**
 * Whether prices fall so far that next to nothing may be left of a position.
 *
 * @since 0.1.0
 */
import type { MarketSpec } from "../kernel/account.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import { slip, unitCost, unitProceeds } from "../match/fillRules.ts"

/**
 * What is left of equity that was all in a position, as a part of it, where what rounding had left
 * in the cash beside it begins to count.
 */
export const restMin = 2 ** -22

/**
 * Whether a position that is opened where prices are high may come to so little, after what it
 * costs to leave it and to open the next one, that its rounded cash counts beside it. A return may
 * then round to the loss of everything, too, and sums of returns do not know that none come after.
 *
 * @category engine
 * @since 0.1.0
 */
export const mayLoseAll = (
  { high, length, low }: CandleColumns,
  from: number,
  { slippageRate, takerRate }: MarketSpec
): boolean => {
  const bought = unitCost(slip(1, 1, slippageRate), takerRate)
  const share = (restMin * bought) / unitProceeds(slip(-1, 1, slippageRate), takerRate)
  let highest = 0
  for (let index = from; index < length; index++) {
    highest = Math.max(highest, high[index]!)
    if (low[index]! <= highest * share) return true
  }
  return false
}
