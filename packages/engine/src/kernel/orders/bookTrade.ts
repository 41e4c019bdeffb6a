/**
 * Books fills of a code strategy: trades opened and closed, cash and fees.
 *
 * @since 0.1.0
 */
import { fillLimit, passesStop, slip } from "../fill.ts"
import { applyFill, type ExitReason } from "../ledger.ts"
import type { HeldTrade, OrderRun, QueuedOrder } from "./codeOrders.ts"
import { endOrder, moveStop, moveTarget } from "./orderBook.ts"
import type { PriceRange } from "./orderPrice.ts"

/** Fee of a fill. */
export const orderFee = (
  { options }: OrderRun,
  quantity: number,
  price: number,
  isMaker: boolean
): number =>
  quantity * price * (isMaker ? options.makerRate : options.takerRate) + options.feePerFill

/** A price made worse by what the fill costs beyond fees; `isEntry` where the spread counts. */
export const worsen = (
  { options }: OrderRun,
  side: 1 | -1,
  price: number,
  isMaker: boolean,
  isEntry: boolean
): number => {
  const slipped = isMaker ? price : slip(side, price, options.slippageRate)
  return isEntry ? slip(side, slipped, options.entrySpread) : slipped
}

/** Opens a trade by an order; its price is worsened already. */
export const openTradeOf = (
  run: OrderRun,
  order: QueuedOrder,
  fill: { readonly quantity: number; readonly price: number; readonly index: number },
  from: { readonly stop: number; readonly target: number }
): HeldTrade => {
  const { quantity, price, index } = fill
  const time = run.candles.time[index]!
  const { side } = order
  const fee = orderFee(run, quantity, price, order.limit !== null)
  applyFill(run.ledger, null, { side, quantity, price, fee, index, time })
  const trade: HeldTrade = {
    id: order.id,
    tag: order.tag,
    position: {
      quantity: side * quantity,
      entryPrice: price,
      entryIndex: index,
      entryTime: time,
      entryFees: fee
    },
    stopLoss: null,
    takeProfit: null,
    stopOrder: null,
    targetOrder: null,
    stopFrom: from.stop,
    targetFrom: from.target,
    isClosed: false
  }
  run.trades.push(trade)
  if (order.takeProfit !== null) moveTarget(run, trade, order.takeProfit)
  if (order.stopLoss !== null) moveStop(run, trade, order.stopLoss)
  return trade
}

/** What closes a trade, or part of it. */
export interface TradeClosing {
  readonly quantity: number
  /** The raw price. */
  readonly price: number
  readonly index: number
  readonly reason: ExitReason
  readonly isMaker: boolean
  /** Prices of the candle, where a stop inside it may have come after its target. */
  readonly range: PriceRange | null
}

/** Closes a trade, or part of it. */
export const closeTradeNow = (run: OrderRun, trade: HeldTrade, closing: TradeClosing): void => {
  const before = trade.position
  const side = before.quantity > 0 ? -1 : 1
  const { index, isMaker } = closing
  const quantity = Math.min(closing.quantity, Math.abs(before.quantity))
  const price = worsen(run, side, closing.price, isMaker, false)
  const fee = orderFee(run, quantity, price, isMaker)
  const time = run.candles.time[index]!
  const done = applyFill(run.ledger, before, { side, quantity, price, fee, index, time })
  const bestPrice = bestPriceOf(trade, closing)
  const bestPnl =
    bestPrice === null
      ? done.closedPnl
      : -side * quantity * (bestPrice - before.entryPrice) -
        (done.closedFees - fee) -
        orderFee(run, quantity, bestPrice, true)
  run.closed.push({
    tradeId: trade.id,
    tag: trade.tag,
    market: 0,
    direction: side === 1 ? -1 : 1,
    quantity,
    entryIndex: before.entryIndex,
    entryTime: before.entryTime,
    entryPrice: before.entryPrice,
    exitIndex: index,
    exitTime: time,
    exitPrice: price,
    fees: done.closedFees,
    pnl: done.closedPnl,
    returnRate: done.closedPnl / (quantity * before.entryPrice),
    exitReason: closing.reason,
    isAmbiguous: bestPrice !== null,
    bestPathPnl: bestPnl,
    worstPathPnl: done.closedPnl,
    stopLoss: trade.stopLoss,
    takeProfit: trade.takeProfit
  })
  if (done.position !== null) {
    trade.position = done.position
    return
  }
  trade.isClosed = true
  run.trades = run.trades.filter((one) => one !== trade)
  for (const order of run.queue) if (order.trade === trade) endOrder(run, order)
}

/** What the target would have given, where the candle of a stop touched both. */
const bestPriceOf = (trade: HeldTrade, { index, reason, range }: TradeClosing): number | null => {
  const { stopLoss, takeProfit } = trade
  if (reason !== "stop_loss" || range === null || stopLoss === null || takeProfit === null) {
    return null
  }
  const side = trade.position.quantity > 0 ? -1 : 1
  const isFirst = passesStop(side, stopLoss, range.open)
  if (isFirst || index < trade.targetFrom) return null
  const price = fillLimit(side, takeProfit, range.open, range.high, range.low)
  return Number.isNaN(price) ? null : price
}
