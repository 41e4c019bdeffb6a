/**
 * What is said where a strategy enters short and its market allows no shorts: results that name
 * nothing of it look like those of rules that never held.
 *
 * @since 0.1.0
 */
import type { StrategyDefinition } from "@candlewick/engine"
import type { MarketSpec } from "@candlewick/engine/kernel"

/** A market, and whether it allows shorts. */
export interface ShortTerms {
  readonly symbol: string
  readonly spec: Pick<MarketSpec, "canShort">
}

/** The markets that allow no shorts, as a sentence begins; null where there is none. */
export const noShortsOn = (markets: ReadonlyArray<ShortTerms>): string | null => {
  const symbols = markets.filter(({ spec }) => !spec.canShort).map(({ symbol }) => symbol)
  return symbols.length === 0 ? null : `Shorts are not allowed on ${symbols.join(", ")}`
}

/**
 * The warning that a strategy's short entries are not ordered, or none. Code may enter short, but
 * only a run tells how often: `droppedCount`.
 */
export const forbiddenShorts = (
  { short }: StrategyDefinition,
  markets: ReadonlyArray<ShortTerms>,
  droppedCount = 0
): ReadonlyArray<string> => {
  const where = noShortsOn(markets)
  if (where === null || (short === undefined && droppedCount === 0)) return []
  return droppedCount === 0
    ? [`${where}: the strategy's short entries are not ordered.`]
    : [`${where}: ${droppedCount} short entries were not ordered.`]
}
