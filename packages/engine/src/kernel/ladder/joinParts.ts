/**
 * Positions of one lot, from flat to flat, out of the parts in which they were closed.
 *
 * @since 0.1.0
 */
import type { ClosedTrade } from "../ledger.ts"
import type { MatchFill } from "../account.ts"
import { hasSeparateLots } from "./LadderPlan.ts"
import type { MarketLadder } from "./LadderView.ts"

/**
 * The closed positions of some fills. The parts of a position that was left in several are joined
 * at their average prices, with the reason of the last part.
 */
const joinParts = (fills: ReadonlyArray<MatchFill>): ReadonlyArray<ClosedTrade> => {
  const parts = new Map<number, Array<ClosedTrade>>()
  const joined: Array<ClosedTrade> = []
  for (const { closed, effect, market } of fills) {
    if (closed === null) continue
    const before = parts.get(market) ?? []
    if (effect === "close") {
      joined.push(joinClosed([...before, closed]))
      parts.delete(market)
    } else parts.set(market, [...before, closed])
  }
  // The sold parts of a position that is open still count as they stand.
  for (const left of parts.values()) joined.push(joinClosed(left))
  return joined
}

/** One position, out of the parts in which it was closed. */
export const joinClosed = (parts: ReadonlyArray<ClosedTrade>): ClosedTrade => {
  const last = parts.at(-1)!
  if (parts.length === 1) return last
  const sum = (value: (part: ClosedTrade) => number): number =>
    parts.reduce((total, part) => total + value(part), 0)
  const quantity = sum((part) => part.quantity)
  const cost = sum((part) => part.quantity * part.entryPrice)
  const pnl = sum((part) => part.pnl)
  return {
    ...last,
    quantity,
    entryPrice: cost / quantity,
    exitPrice: sum((part) => part.quantity * part.exitPrice) / quantity,
    fees: sum((part) => part.fees),
    pnl,
    returnRate: pnl / cost,
    isAmbiguous: parts.some((part) => part.isAmbiguous),
    bestPathPnl: sum((part) => part.bestPathPnl),
    worstPathPnl: sum((part) => part.worstPathPnl)
  }
}

/** The closed positions of some fills, and how many were entered. */
export const positionsOf = (
  fills: ReadonlyArray<MatchFill>,
  [first]: ReadonlyArray<{ readonly ladder?: MarketLadder | undefined }>
): { readonly closed: ReadonlyArray<ClosedTrade>; readonly enteredCount: number } => {
  const areJoined = first?.ladder !== undefined && !hasSeparateLots(first.ladder.plan)
  let enteredCount = 0
  for (const { effect, leg } of fills) {
    if (leg === "entry" && (!areJoined || effect === "open")) enteredCount++
  }
  const closed = areJoined
    ? joinParts(fills)
    : fills.flatMap((fill) => (fill.closed === null ? [] : [fill.closed]))
  return { closed, enteredCount }
}
