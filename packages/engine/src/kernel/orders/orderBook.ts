/**
 * The queue of a code strategy: what is placed, moved and cancelled between candles.
 *
 * @since 0.1.0
 */
import { floorToLot, type SideSign } from "../fill.ts"
import type { CodeOrder, EntryOrder, HeldTrade, OrderRun, QueuedOrder } from "./codeOrders.ts"

const makeOrder = (
  run: OrderRun,
  side: SideSign,
  leg: CodeOrder["leg"],
  more: Partial<QueuedOrder>
): QueuedOrder => ({
  id: ++run.lastId,
  side,
  leg,
  placedAt: run.index,
  quantity: null,
  fraction: null,
  limit: null,
  stop: null,
  stopLoss: null,
  takeProfit: null,
  tag: null,
  trade: null,
  isTriggered: false,
  isOver: false,
  ...more
})

/** Takes an order out of the queue, saying why where it is worth saying. */
export const endOrder = (
  run: OrderRun,
  order: QueuedOrder,
  outcome?: "cancelled" | "rejected",
  reason = ""
): void => {
  if (order.isOver) return
  order.isOver = true
  run.queue = run.queue.filter((one) => one !== order)
  if (outcome !== undefined) run.ended.push({ order, index: run.index, outcome, reason })
}

/** Places an entry; one that contradicts itself is rejected and null. */
export const placeEntry = (
  run: OrderRun,
  side: SideSign,
  entry: EntryOrder
): QueuedOrder | null => {
  const { quantity, fraction, limit, stop, stopLoss, takeProfit, tag } = entry
  const order = makeOrder(run, side, "entry", {
    quantity: quantity ?? null,
    fraction: quantity === undefined ? (fraction ?? 1) : null,
    limit: limit ?? null,
    stop: stop ?? null,
    stopLoss: stopLoss ?? null,
    takeProfit: takeProfit ?? null,
    tag: tag ?? null
  })
  const fault = faultOf(run, order)
  if (fault !== null) {
    endOrder(run, order, "rejected", fault)
    return null
  }
  if (run.options.isExclusive) {
    cancelEntries(run)
    for (const trade of run.trades) closeTradeNext(run, trade)
  }
  run.queue = [...run.queue, order]
  return order
}

const faultOf = (run: OrderRun, order: QueuedOrder): string | null => {
  const { side, quantity, fraction, limit, stop, stopLoss, takeProfit } = order
  const { candles, options } = run
  if (quantity !== null && !(quantity > 0)) return "its quantity is not above zero"
  if (fraction !== null && !(fraction > 0 && fraction <= 1)) {
    return "its fraction is not above zero and at most one"
  }
  const last = candles.close[run.index]!
  const expected = limit ?? stop ?? last * (1 + side * options.entrySpread)
  if (stopLoss !== null && !((expected - stopLoss) * side > 0)) {
    return "its stop loss is not on the losing side of its price"
  }
  if (takeProfit !== null && !((takeProfit - expected) * side > 0)) {
    return "its take profit is not on the winning side of its price"
  }
  return null
}

/** Cancels all entries that rest. */
export const cancelEntries = (run: OrderRun): void => {
  for (const order of run.queue) {
    if (order.leg === "entry") endOrder(run, order, "cancelled", "asked for")
  }
}

/** Places a market order that closes a trade, or part of it. */
export const closeTradeNext = (run: OrderRun, trade: HeldTrade, portion = 1): void => {
  const held = Math.abs(trade.position.quantity)
  const quantity = portion >= 1 ? held : portionOf(run, held, portion)
  if (!(quantity > 0)) return
  const side = trade.position.quantity > 0 ? -1 : 1
  const order = makeOrder(run, side, "close", { trade, quantity, tag: trade.tag })
  run.queue = [order, ...run.queue]
}

const portionOf = ({ options }: OrderRun, held: number, portion: number): number => {
  const { lot, portionRounding } = options
  if (portionRounding === "down" || lot === 0) return floorToLot(held * portion, lot)
  const lots = (held * portion) / lot
  const below = Math.floor(lots)
  const isUp = lots - below > 0.5 || (lots - below === 0.5 && below % 2 === 1)
  return Math.max(1, isUp ? below + 1 : below) * lot
}

/** Moves the stop of a trade, or takes it away; it comes first in the queue. */
export const moveStop = (run: OrderRun, trade: HeldTrade, price: number | null): void => {
  if (trade.stopOrder !== null) endOrder(run, trade.stopOrder)
  trade.stopLoss = price
  trade.stopOrder = null
  if (price === null) return
  const side = trade.position.quantity > 0 ? -1 : 1
  trade.stopOrder = makeOrder(run, side, "stop_loss", { trade, stop: price, tag: trade.tag })
  run.queue = [trade.stopOrder, ...run.queue]
}

/** Moves the target of a trade, or takes it away; it comes last in the queue. */
export const moveTarget = (run: OrderRun, trade: HeldTrade, price: number | null): void => {
  if (trade.targetOrder !== null) endOrder(run, trade.targetOrder)
  trade.takeProfit = price
  trade.targetOrder = null
  if (price === null) return
  const side = trade.position.quantity > 0 ? -1 : 1
  trade.targetOrder = makeOrder(run, side, "take_profit", { trade, limit: price, tag: trade.tag })
  run.queue = [...run.queue, trade.targetOrder]
}
