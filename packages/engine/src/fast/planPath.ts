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
 * Every rule and series of the format does. The plain path takes what depends on each candle of a
 * position, on orders at rest, or on several markets: the reason names it. A short that is
 * liquidated is found while it runs, and its run is then repeated on the plain path.
 *
 * @category plans
 * @since 0.1.0
 */
export const planPath = (definition: StrategyDefinition, spec: MarketSpec): EnginePath => {
  const { code, entry, sizing, symbols } = definition
  if (code !== undefined) return plain("code decides at each candle")
  if (symbols.length > 1) return plain("several markets share one account")
  if (entry !== undefined && entry.type !== "market") return plain(`${entry.type} entries rest`)
  if (sizing?.type === "volatility_target") return plain("sizes follow the volatility")
  if (spec.leverage !== 1) return plain("money is borrowed")
  if (spec.feePerFill !== 0) return plain("every fill has a fee of its own")
  if (spec.funding !== undefined) return plain("funding is paid while a position is held")
  if (spec.volumeShare !== undefined) return plain("the volume of a candle bounds its fills")
  return { path: "fast" }
}
