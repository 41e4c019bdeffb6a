/**
 * Shows a candle to the orders of a code strategy: which fill, at what price, in which order.
 *
 * @since 0.1.0
 */
import type { CandleColumns } from "../columns.ts"
import type { OrderRun, QueuedOrder } from "./codeOrders.ts"
import { closeTradeNow, openTradeOf, worsen } from "./bookTrade.ts"
import { endOrder } from "./orderBook.ts"
import { orderPrice, type PriceRange } from "./orderPrice.ts"
import { paidQuantity, wantedQuantity } from "./sizeEntry.ts"

/** A stretch of prices of one candle. */
interface Passage {
  readonly range: PriceRange
  /** Price and candle of market orders; null where they don't fill. */
  readonly market: { readonly price: number; readonly index: number } | null
  /** The value of open trades where an entry is sized, or null for the price of its fill. */
  readonly mark: number | null
  /** Whether protective exits of market entries fill on the candle that is shown. */
  readonly isLive: boolean
  /** Whether resting orders are looked at. */
  readonly isResting: boolean
}

const isMarket = ({ limit, stop }: QueuedOrder): boolean => limit === null && stop === null

/** Shows the candle at `run.index` to all orders. */
export const matchCodeOrders = (run: OrderRun): void => {
  if (run.queue.length === 0) return
  const { candles, options, index } = run
  const open = candles.open[index]!
  const range = { open, high: candles.high[index]!, low: candles.low[index]! }
  const market =
    options.fill === "close"
      ? null
      : options.fill === "previous_close"
        ? { price: candles.close[index - 1]!, index: index - 1 }
        : { price: open, index }
  const mark = options.sizingPrice === "close" ? candles.close[index]! : null
  const common = { mark, isLive: true, isResting: true }
  const inside = { ...common, range, market: null }
  if (options.sequence === "queue") {
    // All of the queue sees the candle again where an entry brought exits that may fill on it.
    while (pass(run, run.queue, { ...inside, market }));
    return
  }
  const atOpen = { ...common, range: { open, high: open, low: open }, market }
  let isLate = false
  for (const passage of [atOpen, inside]) {
    pass(run, run.queue.filter(isExit), passage)
    isLate = pass(run, run.queue.filter(isEntry), passage)
  }
  if (isLate) pass(run, run.queue.filter(isExit), inside)
}

const isEntry = ({ leg }: QueuedOrder): boolean => leg === "entry"
const isExit = ({ leg }: QueuedOrder): boolean => leg !== "entry"

/** Fills market orders at the close of the candle at `run.index`. */
export const matchCodeClose = (run: OrderRun): void => {
  if (run.queue.length === 0) return
  const { candles, index } = run
  const close = candles.close[index]!
  const range = { open: close, high: close, low: close }
  const market = { price: close, index }
  pass(run, run.queue, { range, market, mark: null, isLive: false, isResting: false })
}

/** Shows the prices to orders; true where an entry brought exits that may fill on this candle. */
const pass = (run: OrderRun, orders: ReadonlyArray<QueuedOrder>, passage: Passage): boolean => {
  let hasExits = false
  for (const order of orders) {
    if (order.isOver || (isMarket(order) ? passage.market === null : !passage.isResting)) continue
    if (order.trade !== null) fillExit(run, order, order.trade, passage)
    else if (fillEntry(run, order, passage)) hasExits = true
  }
  return hasExits
}

const fillExit = (
  run: OrderRun,
  order: QueuedOrder,
  trade: NonNullable<QueuedOrder["trade"]>,
  { range, market }: Passage
): void => {
  const held = Math.abs(trade.position.quantity)
  if (order.leg === "close") {
    if (market === null) return
    const quantity = Math.min(order.quantity ?? held, held)
    const { price, index } = market
    endOrder(run, order)
    closeTradeNow(run, trade, {
      quantity,
      price,
      index,
      reason: "signal",
      isMaker: false,
      range: null
    })
    return
  }
  const { index } = run
  const isStop = order.leg === "stop_loss"
  if (index < (isStop ? trade.stopFrom : trade.targetFrom)) return
  const price = orderPrice(order, range, run.options)
  if (Number.isNaN(price)) return
  const reason = isStop ? "stop_loss" : "take_profit"
  closeTradeNow(run, trade, { quantity: held, price, index, reason, isMaker: !isStop, range })
}

const fillEntry = (run: OrderRun, order: QueuedOrder, passage: Passage): boolean => {
  const { options, index } = run
  const { market, range } = passage
  const atMarket = isMarket(order) ? market : null
  const raw = atMarket === null ? orderPrice(order, range, options) : atMarket.price
  if (Number.isNaN(raw)) return false
  const price = worsen(run, order.side, raw, order.limit !== null, true)
  const prices = { price, raw, mark: passage.mark ?? raw }
  const at = atMarket === null ? index : atMarket.index
  const wanted = wantedQuantity(run, order, prices)
  const rest = wanted > 0 ? net(run, order, wanted, raw, at) : 0
  const canOpen = order.side === 1 || options.canShort
  const quantity = rest > 0 && canOpen ? paidQuantity(run, order, rest, prices) : 0
  const isShort = !(wanted > 0) || (rest > 0 && !(quantity > 0))
  const reason = canOpen ? "there is not enough cash" : "this market can't be shorted"
  endOrder(run, order, isShort ? "rejected" : undefined, reason)
  if (!(quantity > 0)) return false
  const live = liveFrom(run, order, passage)
  openTradeOf(run, order, { quantity, price, index: at }, live)
  const hasLevels = order.stopLoss !== null || order.takeProfit !== null
  return hasLevels && live.isNow
}

/** Closes open trades the other way, the oldest first; what is left is to be opened. */
const net = (
  run: OrderRun,
  order: QueuedOrder,
  wanted: number,
  price: number,
  index: number
): number => {
  let rest = wanted
  if (run.options.netting === "hedging") return rest
  const isMaker = order.limit !== null
  for (const trade of run.trades) {
    if (trade.position.quantity > 0 === order.side > 0) continue
    const quantity = Math.min(rest, Math.abs(trade.position.quantity))
    closeTradeNow(run, trade, { quantity, price, index, reason: "signal", isMaker, range: null })
    rest -= quantity
    if (!(rest > 0)) break
  }
  return rest
}

/** From which candle on the protective exits of an entry fill, and whether that is this one. */
const liveFrom = (
  { candles, index, options }: OrderRun,
  order: QueuedOrder,
  { isLive }: Passage
): { readonly stop: number; readonly target: number; readonly isNow: boolean } => {
  const next = index + 1
  if (isMarket(order)) {
    const from = isLive ? index : next
    return { stop: from, target: from, isNow: isLive }
  }
  const isNow = options.hasTargetOnStopEntry && isTargetSafe(candles, index, order)
  // In the queue nothing else is looked at again.
  const stop = options.sequence === "queue" ? index : next
  return { stop, target: isNow ? index : stop, isNow }
}

/** Whether the candle of a stop entry reaches its target and not its stop. */
const isTargetSafe = (candles: CandleColumns, index: number, order: QueuedOrder): boolean => {
  const { side, stop, limit, stopLoss, takeProfit } = order
  if (stop === null || limit !== null || takeProfit === null) return false
  const best = side === 1 ? candles.high[index]! : candles.low[index]!
  const worst = side === 1 ? candles.low[index]! : candles.high[index]!
  const isStopped = stopLoss !== null && (worst - stopLoss) * side <= 0
  return !isStopped && (best - takeProfit) * side >= 0
}
