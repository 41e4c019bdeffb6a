/**
 * A matcher's reports on candles, in the words of accounts: orders have names in place of numbers.
 *
 * @since 0.1.0
 */
import type { FundingRow, OpenedLot, ClosedLot, EndedEntry, MatcherRow } from "../match/logViews.ts"
import type { EndedOrder, FundingPayment, Leg, MatchFill, MatchOutcome } from "./account.ts"
import type { RoundTrip, ExitReason } from "./ledger.ts"

/** The name of an order, or of the entry that opened a lot. @category models @since 0.1.0 */
export type OrderNameOf = (id: number) => string

const openedFill = (row: OpenedLot, nameOf: OrderNameOf): MatchFill => ({
  orderId: nameOf(row.orderId),
  market: row.market,
  leg: "entry",
  side: row.direction,
  quantity: row.quantity,
  price: row.price,
  fee: row.fee,
  index: row.index,
  time: row.time,
  effect: row.isFirst ? "open" : "increase",
  closed: null
})

/** The leg of a fill that no order of the host made. */
const legOf = (reason: ExitReason): Leg => {
  switch (reason) {
    case "take_profit":
    case "trailing_stop":
      return reason
    case "liquidation":
      return "exit"
    default:
      return "stop_loss"
  }
}

/** Names a protective exit after the entry that opened its lot. */
const protectedName = (row: ClosedLot, nameOf: OrderNameOf): string => {
  if (row.exitReason === "liquidation") return `liquidation${row.exitIndex}`
  return `${nameOf(row.lotId)}:${row.exitReason === "take_profit" ? "target" : "stop"}`
}

/** The result of a lot, or of a part of it. @category rows @since 0.1.0 */
export const closedRoundTrip = (row: ClosedLot, worstPathPnl: number): RoundTrip => ({
  market: row.market,
  direction: row.direction,
  quantity: row.quantity,
  entryIndex: row.entryIndex,
  entryTime: row.entryTime,
  entryPrice: row.entryPrice,
  exitIndex: row.exitIndex,
  exitTime: row.exitTime,
  exitPrice: row.exitPrice,
  fees: row.fees,
  pnl: row.pnl,
  returnRate: row.pnl / (row.quantity * row.entryPrice),
  exitReason: row.exitReason,
  isAmbiguous: row.isAmbiguous,
  bestPathPnl: row.bestPathPnl,
  worstPathPnl
})

const closedFill = (row: ClosedLot, nameOf: OrderNameOf, hasLots: boolean): MatchFill => ({
  orderId: row.orderId === null ? protectedName(row, nameOf) : nameOf(row.orderId),
  market: row.market,
  leg: row.orderId === null || row.exitReason === "take_profit" ? legOf(row.exitReason) : "exit",
  side: row.direction === 1 ? -1 : 1,
  quantity: row.quantity,
  price: row.exitPrice,
  fee: row.fee,
  index: row.exitIndex,
  time: row.exitTime,
  effect: row.isLast ? "close" : "reduce",
  closed: closedRoundTrip(row, row.worstPathPnl),
  ...(hasLots && { lot: nameOf(row.lotId) })
})

const endedOrder = (
  { index, life, market, order, outcome, reason }: EndedEntry,
  nameOf: OrderNameOf
): EndedOrder => ({
  orderId: nameOf(order.id),
  market,
  outcome,
  reason: outcome === "expired" && life !== null ? `not filled within ${life} candles` : reason,
  index
})

const payment = (
  { amount, lotId, market, time }: FundingRow,
  nameOf: OrderNameOf,
  hasLots: boolean
): FundingPayment => ({ market, time, amount, ...(hasLots && { lot: nameOf(lotId) }) })

/**
 * Adds a row to an outcome. A closing and funding name their lot where each entry has one.
 *
 * @category rows
 * @since 0.1.0
 */
export const addRow = (
  outcome: MatchOutcome,
  row: MatcherRow,
  nameOf: OrderNameOf,
  hasLots: boolean
): void => {
  switch (row.kind) {
    case "opened":
      outcome.fills.push(openedFill(row, nameOf))
      break
    case "closed":
      outcome.fills.push(closedFill(row, nameOf, hasLots))
      break
    case "ended":
      outcome.ended.push(endedOrder(row, nameOf))
      break
    case "funding":
      outcome.payments.push(payment(row, nameOf, hasLots))
  }
}
