/**
 * What a code strategy sees and may do at the close of a candle.
 *
 * @since 0.1.0
 */
import { candleAt } from "../columns.ts"
import type { SideSign } from "../fill.ts"
import type { CodeOrder, EntryOrder, HeldTrade, OpenTrade, OrderRun } from "./codeOrders.ts"
import {
  cancelEntries,
  closeTradeNext,
  endOrder,
  moveStop,
  moveTarget,
  placeEntry
} from "./orderBook.ts"
import { equityAt } from "./sizeEntry.ts"

/** A candle. @category models @since 0.1.0 */
export interface CodeCandle {
  readonly time: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
}

/**
 * What a code strategy sees and may do at the close of a candle; nothing of it tells of later ones.
 *
 * **Details**
 *
 * `ago` counts candles back from the current one; before the first one values are NaN.
 *
 * @category models
 * @since 0.1.0
 */
export interface OrderContext<P, K extends string> {
  /** Index of the current candle. */
  readonly index: number
  readonly parameters: P
  /** @throws RangeError where `ago` is below zero. */
  readonly candle: (ago?: number) => CodeCandle
  /** A value of an indicator. @throws RangeError where `ago` is below zero. */
  readonly value: (name: K, ago?: number) => number
  /** Open trades, the oldest first. */
  readonly trades: () => ReadonlyArray<OpenTrade>
  /** Entries at rest. */
  readonly orders: () => ReadonlyArray<CodeOrder>
  readonly cash: () => number
  /** Cash and open trades at the current close. */
  readonly equity: () => number
  /** Places an entry that buys, or gives null where its levels contradict each other. */
  readonly buy: (order?: EntryOrder) => CodeOrder | null
  /** Places an entry that sells, or gives null where its levels contradict each other. */
  readonly sell: (order?: EntryOrder) => CodeOrder | null
  /** Closes a portion of a trade, or of all, by market orders. */
  readonly close: (what?: { readonly trade?: OpenTrade; readonly portion?: number }) => void
  /** Cancels an entry at rest, or all. */
  readonly cancel: (what?: { readonly order?: CodeOrder }) => void
  /** Moves the stop of a trade, or of all; null takes it away. */
  readonly setStop: (price: number | null, what?: { readonly trade?: OpenTrade }) => void
  /** Moves the target of a trade, or of all; null takes it away. */
  readonly setTarget: (price: number | null, what?: { readonly trade?: OpenTrade }) => void
}

/** The context of a run; it follows the run from candle to candle. */
export const makeOrderContext = <P, K extends string>(
  run: OrderRun,
  parameters: P,
  columns: ReadonlyMap<string, ArrayLike<number>>
): OrderContext<P, K> => {
  const { candles } = run
  const at = (ago: number): number => {
    if (ago >= 0) return run.index - ago
    throw new RangeError("a strategy sees no later candle than the current one")
  }
  const heldOf = (trade: OpenTrade | undefined): ReadonlyArray<HeldTrade> =>
    trade === undefined ? [...run.trades] : run.trades.filter(({ id }) => id === trade.id)
  const place = (side: SideSign, entry: EntryOrder = {}): CodeOrder | null => {
    const order = placeEntry(run, side, entry)
    return order === null ? null : viewOrder(order)
  }
  return {
    get index() {
      return run.index
    },
    parameters,
    candle: (ago = 0) => candleAt(candles, at(ago)),
    value: (name, ago = 0) => columns.get(name)?.[at(ago)] ?? Number.NaN,
    trades: () => run.trades.map(viewTrade),
    orders: () => run.queue.filter(({ leg }) => leg === "entry").map(viewOrder),
    cash: () => run.ledger.cash,
    equity: () => equityAt(run, candles.close[run.index]!),
    buy: (entry) => place(1, entry),
    sell: (entry) => place(-1, entry),
    close: ({ trade, portion = 1 } = {}) => {
      for (const held of heldOf(trade)) closeTradeNext(run, held, portion)
    },
    cancel: ({ order } = {}) => {
      if (order === undefined) return cancelEntries(run)
      const found = run.queue.find(({ id, leg }) => id === order.id && leg === "entry")
      if (found !== undefined) endOrder(run, found, "cancelled", "asked for")
    },
    setStop: (price, { trade } = {}) => {
      for (const held of heldOf(trade)) moveStop(run, held, price)
    },
    setTarget: (price, { trade } = {}) => {
      for (const held of heldOf(trade)) moveTarget(run, held, price)
    }
  }
}

/** A trade as it is told. */
export const viewTrade = ({ id, position, stopLoss, takeProfit, tag }: HeldTrade): OpenTrade => ({
  id,
  position,
  stopLoss,
  takeProfit,
  tag
})

/** An order as it is told. */
export const viewOrder = (order: CodeOrder): CodeOrder => ({
  id: order.id,
  side: order.side,
  leg: order.leg,
  placedAt: order.placedAt,
  quantity: order.quantity,
  fraction: order.fraction,
  limit: order.limit,
  stop: order.stop,
  stopLoss: order.stopLoss,
  takeProfit: order.takeProfit,
  tag: order.tag
})
