/**
 * Whether prices fall so far that next to nothing may be left of a position.
 *
 * @since 0.1.0
 */
import type { MarketSpec } from "../kernel/account.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import { slip, unitCost, unitProceeds } from "../match/fillRules.ts"

/**
 * The part of equity, all of it in a position, below which the rounding rest in the cash beside it
 * begins to count.
 */
export const restMin = 2 ** -22

/**
 * Whether a position opened at high prices may lose so much that its rounded cash counts beside it.
 * The costs to close it and to open the next one count as losses. A return may then round to the
 * loss of everything, too, and sums of returns do not know that none come after.
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
