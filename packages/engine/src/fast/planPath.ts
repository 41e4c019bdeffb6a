/**
 * Which strategies run from event to event, and why the others run candle by candle.
 *
 * @since 0.1.0
 */
import type { StrategyDefinition } from "../language/StrategyDefinition.ts"
import type { MarketSpec } from "../kernel/account.ts"

/**
 * The path of a strategy, with the reason where it is the plain one.
 *
 * @category models
 * @since 0.1.0
 */
export type EnginePath =
  | { readonly path: "fast" }
  | { readonly path: "plain"; readonly reason: string }

const plain = (reason: string): EnginePath => ({ path: "plain", reason })

/**
 * Says whether a strategy runs on the fast path.
 *
 * **Details**
 *
 * Every rule and series of the format does, with every entry, exit and size. The plain path takes
 * code, what depends on the volume of each candle, and several markets: the reason names it. A short
 * of all the equity that is liquidated is found while it runs, and its run is then repeated on the
 * plain path.
 *
 * @category plans
 * @since 0.1.0
 */
export const planPath = (definition: StrategyDefinition, spec: MarketSpec): EnginePath => {
  const { code, symbols } = definition
  if (code !== undefined) return plain("code decides at each candle")
  if (symbols.length > 1) return plain("several markets share one account")
  if (spec.volumeShare !== undefined) return plain("the volume of a candle bounds its fills")
  return { path: "fast" }
}
