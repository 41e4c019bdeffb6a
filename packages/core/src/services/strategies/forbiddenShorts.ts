/**
 * The warning where a strategy enters short and its market allows no shorts.
 *
 * Without it, results look as if the rules had never held.
 *
 * @since 0.1.0
 */
import type { StrategyDefinition } from "@candlewick/engine"
import type { MarketSpec } from "@candlewick/engine/kernel"
import { Effect } from "effect"
import { type Problem, problem } from "../../domain/Problem.ts"
import type { Dataset } from "../../domain/operations/candleOperations.ts"

/** A market, and whether it allows shorts. */
export interface ShortTerms {
  readonly symbol: string
  readonly spec: Pick<MarketSpec, "canShort">
}

type WithMarket = Pick<Dataset, "market">

/** The same of markets as they are kept. */
export const shortTermsOf = (markets: ReadonlyArray<WithMarket>): ReadonlyArray<ShortTerms> =>
  markets.map(({ market: { can_short: canShort, symbol } }) => ({ symbol, spec: { canShort } }))

/** The markets that allow no shorts, as a sentence begins; null where there is none. */
export const noShortsOn = (markets: ReadonlyArray<ShortTerms>): string | null => {
  const symbols = markets.filter(({ spec }) => !spec.canShort).map(({ symbol }) => symbol)
  return symbols.length === 0 ? null : `Shorts are not allowed on ${symbols.join(", ")}`
}

/**
 * The warning that a strategy's short entries are not ordered, or none. Code may enter short, but
 * only a run shows how often: `droppedCount`.
 */
export const forbiddenShorts = (
  { short, trades }: StrategyDefinition,
  markets: ReadonlyArray<ShortTerms>,
  droppedCount = 0
): ReadonlyArray<string> => {
  const traded = markets.filter(({ symbol }) => trades?.includes(symbol) ?? true)
  const where = noShortsOn(traded)
  if (where === null || (short === undefined && droppedCount === 0)) return []
  return droppedCount === 0
    ? [`${where}: the strategy's short entries are not ordered.`]
    : [`${where}: ${droppedCount} short entries were not ordered.`]
}

/**
 * Refuses a strategy of which nothing is left: it enters short alone, and none of its markets
 * allows that. One that enters long too, or on a market that allows shorts, is warned of.
 */
export const refuseForbiddenShorts = (
  { long, short, trades }: StrategyDefinition,
  markets: ReadonlyArray<WithMarket>,
  pointer: "" | "/strategy_id" | "/symbols"
): Effect.Effect<void, Problem> => {
  const isShortAlone = short !== undefined && long === undefined
  const traded = markets.filter(({ market }) => trades?.includes(market.symbol) ?? true)
  if (!isShortAlone || traded.some(({ market }) => market.can_short)) return Effect.void
  const where = noShortsOn(shortTermsOf(traded)) ?? ""
  const message = `${where}, and the strategy enters short alone: it would never trade.`
  const errors = [{ pointer, code: "shorts_forbidden", message }]
  return Effect.fail(problem("unprocessable", message, { errors }))
}
