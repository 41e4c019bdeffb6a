/**
 * The strategies that run from event to event, and the reason why others run candle by candle.
 *
 * @since 0.1.0
 */
import type { EntryOrder } from "../language/EntryOrder.ts"
import type { DirectionRules, StrategyDefinition } from "../language/StrategyDefinition.ts"
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

/** Whether entries are ordered at market, or by one order that rests a part of the close away. */
const isSimplyOrdered = (entry: EntryOrder | undefined): boolean => {
  if (entry === undefined || entry.type === "market") return true
  if (entry.type !== "limit" && entry.type !== "stop") return false
  return entry.offset !== undefined && entry.expires_after !== undefined
}

/** Whether a side has more than its rules. */
const hasOwnParts = (side: DirectionRules | undefined): boolean =>
  Object.keys(side ?? {}).some((name) => name !== "enter" && name !== "exit")

const ladderParts = ["additions", "targets", "reductions"] as const

/** Whether no safety orders stand beside a stop that moves. */
const hasStillSafety = ({ exits, safety_orders: safety }: StrategyDefinition): boolean =>
  safety === undefined || (exits?.trailing_stop === undefined && exits?.break_even === undefined)

/** Whether lines buy and sell alone, by sizes that need no stop. */
const hasPlainLines = ({ exits, exits_of: exitsOf, lots, sizing }: StrategyDefinition): boolean => {
  const isKnown = sizing?.type !== "risk_per_trade" && sizing?.type !== "volatility_target"
  return isKnown && exits === undefined && exitsOf === undefined && lots === undefined
}

/** The reason why a position counts as built, kept or left in parts, or null. */
const laddered = (definition: StrategyDefinition): string | null => {
  const { grid, long, lots, overlap, rebalance, short } = definition
  if (grid !== undefined)
    return hasPlainLines(definition) ? null : "the lines of a grid share exits"
  if (rebalance !== undefined) return "a weight is kept at each close"
  if (hasOwnParts(long) || hasOwnParts(short)) return "a side has parts of its own"
  if (ladderParts.some((name) => definition[name] !== undefined)) {
    return "a position is built or left in parts"
  }
  if (!hasStillSafety(definition)) return "a stop moves beside safety orders"
  const isOneLot = lots === undefined || lots === "average"
  return isOneLot && definition.exits_of === undefined && overlap === undefined
    ? null
    : "lots are kept apart"
}

/**
 * Says whether the round trips of a strategy can be found on the fast path.
 *
 * @category plans
 * @since 0.1.0
 */
export const planRoundTripPath = (definition: StrategyDefinition, spec: MarketSpec): EnginePath =>
  definition.grid === undefined
    ? planPath(definition, spec)
    : plain("the fast path reports no lots of a grid")

/**
 * Says whether a strategy of several markets, which share one account, goes from event to event.
 *
 * @category plans
 * @since 0.1.0
 */
export const planSharedPath = (definition: StrategyDefinition): EnginePath => {
  const { code, entry, grid, safety_orders: safety } = definition
  if (code !== undefined) return plain("code decides at each candle")
  const isBuilt = grid !== undefined || safety !== undefined
  const ladder = laddered(definition) ?? (isBuilt ? "a position is built or left in parts" : null)
  if (ladder !== null) return plain(ladder)
  return isSimplyOrdered(entry) ? { path: "fast" } : plain("entries of this form rest")
}

/**
 * Says whether the round trips of a strategy give its equity between them as well.
 *
 * @category plans
 * @since 0.1.0
 */
export const planReplayedPath = (definition: StrategyDefinition, spec: MarketSpec): EnginePath =>
  definition.safety_orders === undefined
    ? planRoundTripPath(definition, spec)
    : plain("trades do not tell how a position grew")

const plain = (reason: string): EnginePath => ({ path: "plain", reason })

/**
 * Says whether a strategy runs on the fast path.
 *
 * **Details**
 *
 * Every rule and series of the format does, with every exit and size of a position that is one lot.
 * So do safety orders, grids, and the costs of any market. The plain path takes code, other
 * positions in parts, fills bounded by a candle's volume, and several markets: the reason names the
 * part. Two things are found only in the run: a liquidated short of all the equity, and a ladder's
 * order cut to the cash. The plain path then repeats the run.
 *
 * @category plans
 * @since 0.1.0
 */
export const planPath = (definition: StrategyDefinition, spec: MarketSpec): EnginePath => {
  const { code, entry, symbols } = definition
  if (code !== undefined) return plain("code decides at each candle")
  if (symbols.length > 1) return plain("several markets share one account")
  const ladder = laddered(definition)
  if (ladder !== null) return plain(ladder)
  if (!isSimplyOrdered(entry)) return plain("entries of this form rest")
  if (spec.volumeShare !== undefined) return plain("the volume of a candle bounds its fills")
  return { path: "fast" }
}
