/**
 * A simulated exchange account: its positions, its resting orders, and its equity.
 *
 * An account has one ledger and a book for each of its markets. All of it is plain data that can be
 * kept as JSON and restored exactly.
 *
 * @since 0.1.0
 */
import type { CandleColumns } from "./columns.ts"
import type { SideSign } from "./fill.ts"
import {
  type RoundTrip,
  type ExitReason,
  type Ledger,
  makeLedger,
  type PositionState
} from "./ledger.ts"
import { type AttachedExits, definedExits, type Protection } from "./protection.ts"

/** Steps, costs and permissions of a market, all as plain numbers. @category models @since 0.1.0 */
export interface MarketSpec {
  /** Price step of orders, or 0 for none. */
  readonly tick: number
  /** Quantity step, or 0 for none. */
  readonly lot: number
  /** Least worth of an order, in the currency of prices, or 0 for none. */
  readonly minNotional: number
  /** Fee of limit and target fills, a fraction of notional; below 0 it is paid to you. */
  readonly makerRate: number
  /** Fee of all other fills, the same. */
  readonly takerRate: number
  /** Fee of each fill of any size, in the currency of prices. */
  readonly feePerFill: number
  /**
   * The distance of market, stop and trailing fills from the expected price, half the spread
   * included, as a fraction of it.
   */
  readonly slippageRate: number
  /** Whether shorts are taken; entries of them are dropped otherwise. */
  readonly canShort: boolean
  /** Largest notional of all positions over equity. */
  readonly leverage: number
  /**
   * The funding that a position pays or gets at each multiple of the interval; none where it is
   * absent.
   */
  readonly funding?: Funding | undefined
  /** The effect of an order's share of a candle's volume; none where it is absent. */
  readonly volumeShare?: VolumeShare | undefined
}

/**
 * Payments between long and short; at a positive rate longs pay.
 *
 * @category models
 * @since 0.1.0
 */
export interface Funding {
  /** Of the notional at the first open at or after the time of the payment. */
  readonly rate: number
  readonly intervalMs: number
}

/** The treatment of a large order. @category models @since 0.1.0 */
export interface VolumeShare {
  /**
   * Largest part of a candle's volume that one order gets. The rest of an entry is cancelled, the
   * rest of an exit waits for the next candle. Protective exits are filled whole.
   */
  readonly max: number
  /** Slippage of an order as large as the candle's volume; smaller ones slip in proportion. */
  readonly slippageRate: number
}

/** The purpose of an order. @category models @since 0.1.0 */
export type Leg = "entry" | "exit" | "stop_loss" | "take_profit" | "trailing_stop"

/** Why an exit is ordered; entries have the signal. @category models @since 0.1.0 */
export type OrderReason = Extract<
  ExitReason,
  "signal" | "take_profit" | "time_limit" | "force_exit" | "end_of_data" | "kill_switch"
>

/** An order as it is placed. @category models @since 0.1.0 */
export interface OrderRequest {
  readonly id: string
  readonly side: SideSign
  readonly type: "market" | "limit" | "stop" | "stop_limit"
  readonly leg: "entry" | "exit"
  readonly quantity: number
  readonly limit: number | null
  readonly stop: number | null
  /** Candles after which an unfilled order ends, or null for never. */
  readonly expiresAfter: number | null
  /** Why an exit was ordered. */
  readonly reason: OrderReason
  /** Protective exits of the position that an entry opens. */
  readonly attached: AttachedExits | null
  /** Whether the order belongs to a position and ends with it: an entry adds, an exit reduces. */
  readonly endsWithPosition?: boolean | undefined
  /** Entries of one market and one group: the first that fills cancels the others. */
  readonly group?: string | undefined
  /** The time from which on no candle fills it. */
  readonly until?: number | undefined
  /** Whether a limit fills at the next open or ends. */
  readonly isImmediate?: boolean | undefined
  /** Id of the entry whose lot an exit reduces; the oldest lots first where it is absent. */
  readonly lot?: string | undefined
}

/** An order at rest. @category models @since 0.1.0 */
export interface RestingOrder extends OrderRequest {
  /** Candles that it has rested through. */
  age: number
  /** Whether the stop of a stop-limit order has been touched. */
  isTriggered: boolean
}

/** An entry that is kept apart from others of its market. @category models @since 0.1.0 */
export interface LotState {
  /** Id of the entry that opened the lot. */
  readonly id: string
  position: PositionState
}

/** The resting orders and the position of one market. @category models @since 0.1.0 */
export interface Book {
  orders: Array<RestingOrder>
  /** The position of all lots together, where entries are kept apart. */
  position: PositionState | null
  /** The oldest first; absent where entries are merged into one position. */
  lots?: Array<LotState> | undefined
  protection: Protection | null
  lastClose: number | null
  lastTime: number | null
  /** Candles seen so far. */
  index: number
  /** Index of the candle in which a position was last closed, and whether by a stop. */
  lastExitIndex: number | null
  wasStopped: boolean
}

/** An account: plain data, changed in place. @category models @since 0.1.0 */
export interface MatchingAccount {
  ledger: Ledger
  books: Array<Book>
}

/** A candle of one market. @category models @since 0.1.0 */
export interface CandleInput {
  readonly market: number
  readonly time: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  /** Needed where the market knows a share of volume. */
  readonly volume?: number | undefined
  /** Shorter candles of the same time, which show the order of touches. */
  readonly detail?: CandleSlice | undefined
}

/** The candles in `[from, to)` of some columns. @category models @since 0.1.0 */
export interface CandleSlice {
  readonly columns: CandleColumns
  readonly from: number
  readonly to: number
}

/** One fill. @category models @since 0.1.0 */
export interface MatchFill {
  readonly orderId: string
  readonly market: number
  readonly leg: Leg
  readonly side: SideSign
  readonly quantity: number
  readonly price: number
  readonly fee: number
  readonly index: number
  readonly time: number
  readonly effect: "open" | "increase" | "reduce" | "close"
  readonly closed: RoundTrip | null
  /** Id of the entry whose lot an exit reduced or closed, where lots are separate. */
  readonly lot?: string | undefined
  /**
   * The quantity of its order that the fill executes, where that is not `quantity`: a fee in the
   * bought coin leaves less of it.
   */
  readonly ordered?: number | undefined
}

/**
 * An order that ended without being filled, or filled for less than it asked.
 *
 * @category models
 * @since 0.1.0
 */
export interface EndedOrder {
  readonly orderId: string
  readonly market: number
  readonly outcome: "cancelled" | "expired" | "rejected"
  readonly reason: string
  /** Index of the candle in which it ended, where a matcher ended it. */
  readonly index?: number | undefined
}

/**
 * Funding that a position paid, or got where the amount is negative.
 *
 * @category models
 * @since 0.1.0
 */
export interface FundingPayment {
  readonly market: number
  readonly time: number
  readonly amount: number
  /** Id of the entry whose lot paid, where lots are separate. */
  readonly lot?: string | undefined
}

/** The outcome of one or more candles. @category models @since 0.1.0 */
export interface MatchOutcome {
  readonly fills: Array<MatchFill>
  readonly ended: Array<EndedOrder>
  readonly payments: Array<FundingPayment>
  /** Candles in which the path decides the end of a position. */
  ambiguousCount: number
  /** Whether a position was held after the open in any of the candles that were shown last. */
  isHeld: boolean
}

/** An account with this much cash and nothing else. @category models @since 0.1.0 */
export const makeMatchingAccount = (cash: number, marketCount: number): MatchingAccount => ({
  ledger: makeLedger(cash),
  books: Array.from({ length: marketCount }, () => ({
    orders: [],
    position: null,
    protection: null,
    lastClose: null,
    lastTime: null,
    index: -1,
    lastExitIndex: null,
    wasStopped: false
  }))
})

/** An empty outcome, to be filled. @category models @since 0.1.0 */
export const makeOutcome = (): MatchOutcome => ({
  fills: [],
  ended: [],
  payments: [],
  ambiguousCount: 0,
  isHeld: false
})

/**
 * Lots of one side as one position; a single lot is that position to the digit.
 *
 * @category models
 * @since 0.1.0
 */
export const mergedPosition = (
  positions: ReadonlyArray<Readonly<PositionState>>
): Readonly<PositionState> | null => {
  const [first] = positions
  if (first === undefined || positions.length === 1) return first ?? null
  let [cost, entryFees, quantity] = [0, 0, 0]
  for (const position of positions) {
    cost += position.quantity * position.entryPrice
    entryFees += position.entryFees
    quantity += position.quantity
  }
  return { ...first, quantity, entryPrice: cost / quantity, entryFees }
}

/** The holdings of a market: its position, or each of its lots. */
const holdingsOf = ({ lots, position }: Book): ReadonlyArray<PositionState> => {
  if (lots !== undefined) return lots.map((lot) => lot.position)
  return position === null ? [] : [position]
}

/** Cash plus every position at its market's last close. @category models @since 0.1.0 */
export const equityOf = (account: MatchingAccount): number => {
  let equity = account.ledger.cash
  for (const book of account.books) {
    // Lot by lot, as a matcher adds up.
    for (const { entryPrice, quantity } of holdingsOf(book)) {
      equity += quantity * (book.lastClose ?? entryPrice)
    }
  }
  return equity
}

/** Notional of every open position at its market's last close. @category models @since 0.1.0 */
export const openNotionalOf = (account: MatchingAccount): number => {
  let notional = 0
  for (const book of account.books) {
    for (const { entryPrice, quantity } of holdingsOf(book)) {
      notional += Math.abs(quantity) * (book.lastClose ?? entryPrice)
    }
  }
  return notional
}

/** A position that is open, at its market's last close. @category models @since 0.1.0 */
export interface HeldPosition {
  readonly market: number
  readonly direction: 1 | -1
  readonly quantity: number
  readonly entryTime: number
  readonly entryPrice: number
  /** The last close. */
  readonly price: number
  /** Notional at that price. */
  readonly value: number
  /** The result of the price's moves since the entry, before costs. */
  readonly unrealizedPnl: number
  /** Fees of the entry, and funding that was paid, less the funding that was got. */
  readonly fees: number
  /** Levels of the protective exits, or null. */
  readonly stop: number | null
  readonly target: number | null
}

/**
 * The committed notional when an entry is decided in this market: every open position, and every
 * entry that rests in the other markets. Only one order of a group fills, and so the largest
 * counts.
 *
 * @category models
 * @since 0.1.0
 */
export const committedNotionalOf = (account: MatchingAccount, market: number): number => {
  let notional = openNotionalOf(account)
  account.books.forEach(({ lastClose, orders }, other) => {
    if (other === market) return
    const entries = orders.filter(({ leg }) => leg === "entry")
    const expected = entries.map(
      (order) => order.quantity * (expectedPriceOf(order) ?? lastClose ?? 0)
    )
    entries.forEach(({ group }, nth) => {
      const one = expected[nth]!
      const isCovered = entries.some((entry, other) => {
        if (group === undefined || entry.group !== group) return false
        return expected[other]! > one || (other < nth && expected[other] === one)
      })
      if (!isCovered) notional += one
    })
  })
  return notional
}

/**
 * The price that an order names, or null where it names none. An order with a limit and a stop
 * counts at the larger one, for it may fill at either.
 *
 * @category accounts
 * @since 0.1.0
 */
export const expectedPriceOf = ({
  limit,
  stop
}: Pick<OrderRequest, "limit" | "stop">): number | null =>
  limit !== null && stop !== null ? Math.max(limit, stop) : (limit ?? stop)

/** Places an order; it is matched from the next candle on. @category models @since 0.1.0 */
export const placeOrder = (account: MatchingAccount, market: number, order: OrderRequest): void => {
  const attached = order.attached && definedExits(order.attached)
  account.books[market]!.orders.push({ ...order, attached, age: 0, isTriggered: false })
}

/** Takes an order out of the book; false where it is not there. @category models @since 0.1.0 */
export const cancelOrder = (account: MatchingAccount, market: number, id: string): boolean => {
  const book = account.books[market]!
  const count = book.orders.length
  book.orders = book.orders.filter((order) => order.id !== id)
  return book.orders.length < count
}
