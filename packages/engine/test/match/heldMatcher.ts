/**
 * A matcher that holds a position, the orders that tests give it, and what it tells.
 */
import type { MatcherMarket, MatcherRules } from "../../src/match/matcherRules.ts"
import type { AttachedExits, ExitLevel } from "../../src/match/AttachedExits.ts"
import { Matcher } from "../../src/match/Matcher.ts"
import type { MatcherExit } from "../../src/match/MatcherOrder.ts"
import type { MatcherRow } from "../../src/match/logViews.ts"

export const market: MatcherMarket = {
  lot: 0,
  takerRate: 0,
  makerRate: 0,
  feePerFill: 0,
  slippageRate: 0,
  entrySpread: 0,
  leverage: 1,
  canShort: true
}

export const noTags = [null]

export const order: MatcherExit = {
  side: 1,
  quantity: 1,
  limit: null,
  stop: null,
  expiresAfter: null
}
export const addition: MatcherExit = { ...order, endsWithPosition: true }

export const candle = (nth: number, open: number, low = open, high = open, close = open) => ({
  market: 0,
  time: nth * 60_000,
  open,
  high,
  low,
  close
})

export const part = (value: number): ExitLevel => ({ kind: "fraction", value })

export const noExits: AttachedExits = {
  stopLoss: null,
  takeProfit: null,
  trailingStop: null,
  breakEven: null
}

export const told = (rows: ReadonlyArray<MatcherRow>) =>
  rows.map((row) => {
    if (row.kind === "opened") return ["opened", row.orderId, row.quantity, row.price]
    if (row.kind === "closed") return [row.exitReason, row.lotId, row.quantity, row.exitPrice]
    return row.kind === "ended" ? [row.outcome, row.order.id, row.reason] : [row.kind]
  })

/** A matcher that has shown a candle at 100 and one at whose open an entry was filled. */
export const held = (
  exits: AttachedExits | null,
  netting: MatcherRules["netting"] = "average",
  spec: MatcherMarket = market
): Matcher => {
  const matcher = Matcher.open(1_000, [spec], { netting })
  matcher.show([candle(0, 100)])
  matcher.placeEntry(0, order, exits)
  matcher.show([candle(1, 100)])
  matcher.drain(noTags)
  return matcher
}
