/**
 * The view of a code strategy at the close of a candle, and its commands.
 *
 * @since 0.1.0
 */
import { candleAt } from "../columns.ts"
import type { SideSign } from "../fill.ts"
import type { CodeOrder, EntryRequest, OpenRoundTrip } from "./codeOrders.ts"
import { openRoundTrips, type OrderRun, tagNumber } from "./orderRun.ts"

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
 * The view of a code strategy at the close of a candle, and its commands. No part of it shows
 * later candles.
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
  /** @throws RangeError where `ago` is below zero, or not whole. */
  readonly candle: (ago?: number) => CodeCandle
  /** A value of an indicator. @throws RangeError where `ago` is below zero, or not whole. */
  readonly value: (name: K, ago?: number) => number
  /** Open round trips, the oldest first. */
  readonly trades: () => ReadonlyArray<OpenRoundTrip>
  /** Entries at rest. */
  readonly orders: () => ReadonlyArray<CodeOrder>
  readonly cash: () => number
  /** Cash and open positions at the current close. */
  readonly equity: () => number
  /** Places an entry that buys, or gives null where its levels contradict each other. */
  readonly buy: (order?: EntryRequest) => CodeOrder | null
  /** Places an entry that sells, or gives null where its levels contradict each other. */
  readonly sell: (order?: EntryRequest) => CodeOrder | null
  /** Closes a portion of a round trip, or of all, by market orders. */
  readonly close: (what?: { readonly trade?: OpenRoundTrip; readonly portion?: number }) => void
  /** Cancels an entry at rest, or all. */
  readonly cancel: (what?: { readonly order?: CodeOrder }) => void
  /** Moves the stop of a round trip, or of all; null takes it away. */
  readonly setStop: (price: number | null, what?: { readonly trade?: OpenRoundTrip }) => void
  /** Moves the target of a round trip, or of all; null takes it away. */
  readonly setTarget: (price: number | null, what?: { readonly trade?: OpenRoundTrip }) => void
}

/** Places an entry; where an option says so, it ends all that rests and all that is open. */
const placeEntry = (run: OrderRun, side: SideSign, entry: EntryRequest): CodeOrder | null => {
  const { matcher, index, options } = run
  const { quantity, tag } = entry
  const order = {
    side,
    quantity: quantity ?? null,
    fraction: entry.fraction ?? 1,
    limit: entry.limit ?? null,
    stop: entry.stop ?? null,
    stopLoss: entry.stopLoss ?? null,
    takeProfit: entry.takeProfit ?? null,
    tag: tag ?? null
  }
  const placed = { ...order, expiresAfter: null, tagNumber: tagNumber(run, order.tag) }
  const id = matcher.placeEntry(0, placed)
  if (id === 0) return null
  if (options.isExclusive) {
    matcher.cancelEntries(0, id)
    matcher.close(0, null, 1)
  }
  const fraction = quantity === undefined ? order.fraction : null
  return { id, leg: "entry", placedAt: index, ...order, fraction }
}

/** The context of a run; it follows the run from candle to candle. */
export const makeOrderContext = <P, K extends string>(
  run: OrderRun,
  parameters: P,
  columns: ReadonlyMap<string, ArrayLike<number>>
): OrderContext<P, K> => {
  const { candles, matcher } = run
  const at = (ago: number): number => {
    if (ago >= 0 && Number.isInteger(ago)) return run.index - ago
    if (!Number.isInteger(ago)) {
      throw new RangeError(`a strategy counts whole candles back, got ${String(ago)}`)
    }
    throw new RangeError("a strategy sees no later candle than the current one")
  }
  return {
    get index() {
      return run.index
    },
    parameters,
    candle: (ago = 0) => candleAt(candles, at(ago)),
    value: (name, ago = 0) => columns.get(name)?.[at(ago)] ?? Number.NaN,
    trades: () => openRoundTrips(run),
    orders: () => matcher.entries(0, run.tags),
    cash: () => matcher.cash,
    equity: () => matcher.equity,
    buy: (entry = {}) => placeEntry(run, 1, entry),
    sell: (entry = {}) => placeEntry(run, -1, entry),
    close: ({ trade, portion = 1 } = {}) => matcher.close(0, trade?.id ?? null, portion),
    cancel: ({ order } = {}) =>
      order === undefined ? matcher.cancelEntries(0) : matcher.cancelEntry(0, order.id),
    setStop: (price, { trade } = {}) => matcher.protectLot(0, trade?.id ?? 0, { stop: price }),
    setTarget: (price, { trade } = {}) => matcher.protectLot(0, trade?.id ?? 0, { target: price })
  }
}
