/**
 * Closed positions, out of the parts in which they were closed.
 *
 * A position counts from flat to flat, and a lot by itself where each entry is one. A position that
 * is open counts once it is closed, however much of it was sold.
 *
 * @since 0.1.0
 */
import type { MatchFill } from "../account.ts"
import type { RoundTrip } from "../ledger.ts"
import { keepsLotsApart } from "./LadderPlan.ts"
import { ladderPlanOf, type MarketLadder } from "./LadderView.ts"

/** A part of a position, with the lot that it was taken from where each entry is one. */
export interface ClosedPart extends RoundTrip {
  readonly lot?: string | undefined
}

/**
 * The closed positions of some fills. Joins the parts of a position, or of a lot, that was closed
 * in several. The whole has their average prices and the reason of the last part.
 */
const joinParts = (fills: ReadonlyArray<MatchFill>, isHeld: HeldLots): ReadonlyArray<RoundTrip> => {
  const parts = new Map<string, Array<RoundTrip>>()
  const open = new Set<string>()
  const flatCounts = new Map<number, number>()
  for (const { closed, effect, lot, market } of fills) {
    if (closed === null) continue
    const flatCount = flatCounts.get(market) ?? 0
    const position = `${market} ${lot ?? flatCount}`
    const before = parts.get(position) ?? []
    before.push(closed)
    // Positions stand in the order in which they were closed.
    parts.delete(position)
    parts.set(position, before)
    if (effect === "close") flatCounts.set(market, flatCount + 1)
    if (lot === undefined ? effect !== "close" : isHeld(market, lot)) open.add(position)
    else open.delete(position)
  }
  return [...parts].flatMap(([position, left]) => (open.has(position) ? [] : [joinClosed(left)]))
}

/** Whether a market holds a lot after the last fill. */
type HeldLots = (market: number, lot: string) => boolean

/** One position, out of the parts in which it was closed. */
export const joinClosed = (parts: ReadonlyArray<RoundTrip>): RoundTrip => {
  const last = parts.at(-1)!
  if (parts.length === 1) return last
  const sum = (value: (part: RoundTrip) => number): number =>
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

/** The closed positions of all fills of a run, and how many were entered. */
export const positionsOf = (
  fills: ReadonlyArray<MatchFill>,
  markets: ReadonlyArray<{ readonly ladder?: MarketLadder | undefined }>,
  isHeld: HeldLots
): { readonly closed: ReadonlyArray<RoundTrip>; readonly enteredCount: number } => {
  const plan = ladderPlanOf(markets)
  const hasLots = plan !== null && keepsLotsApart(plan)
  let enteredCount = 0
  for (const { effect, leg } of fills) {
    if (leg === "entry" && (hasLots || effect === "open")) enteredCount++
  }
  const isLeftInParts = fills.some(({ effect }) => effect === "reduce")
  const closed = isLeftInParts
    ? joinParts(fills, isHeld)
    : fills.flatMap((fill) => (fill.closed === null ? [] : [fill.closed]))
  return { closed, enteredCount }
}
