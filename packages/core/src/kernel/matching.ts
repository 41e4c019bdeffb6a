/**
 * A simulated exchange account: orders and candles in, fills out.
 *
 * The backtest and the paper broker are both this engine. An account has one ledger and a book for each of its markets;
 * all of it is plain data that can be kept as JSON and restored exactly. The order of things inside a candle is that of
 * `docs/simulation.md`.
 *
 * @since 0.1.0
 */
import { fillLimit, fillStop, floorToLot, type SideSign, slip } from "./fill.ts"
import {
  applyFill,
  type ClosedTrade,
  type ExitReason,
  type Ledger,
  makeLedger,
  type PositionState
} from "./ledger.ts"
import { type AttachedExits, type Protection, protect, raiseProtection } from "./protection.ts"

/** Steps, costs and permissions of a market, all as plain numbers. @category models @since 0.1.0 */
export interface MarketSpec {
  /** Price step of orders, or 0 for none. */
  readonly tick: number
  /** Quantity step, or 0 for none. */
  readonly lot: number
  readonly minNotional: number
  readonly makerRate: number
  readonly takerRate: number
  /** Fee of each fill, whatever its size. */
  readonly feePerFill: number
  /** How far market, stop and trailing fills are from the expected price, half the spread included. */
  readonly slippageRate: number
  readonly canShort: boolean
  /** Largest notional of all positions over equity. */
  readonly leverage: number
}

/** What an order is for. @category models @since 0.1.0 */
export type Leg = "entry" | "exit" | "stop_loss" | "take_profit" | "trailing_stop"

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
  readonly reason: ExitReason
  /** Protective exits of the position that an entry opens. */
  readonly attached: AttachedExits | null
}

/** An order at rest. @category models @since 0.1.0 */
export interface RestingOrder extends OrderRequest {
  /** Candles that it has rested through. */
  age: number
  /** Whether the stop of a stop-limit order has been touched. */
  isTriggered: boolean
}

/** What rests and what is held in one market. @category models @since 0.1.0 */
export interface Book {
  orders: Array<RestingOrder>
  position: PositionState | null
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
  readonly closed: ClosedTrade | null
}

/** An order that ended without being filled, or filled for less than it asked. @category models @since 0.1.0 */
export interface EndedOrder {
  readonly orderId: string
  readonly market: number
  readonly outcome: "cancelled" | "expired" | "rejected"
  readonly reason: string
}

/** What became of one or more candles. @category models @since 0.1.0 */
export interface MatchOutcome {
  readonly fills: Array<MatchFill>
  readonly ended: Array<EndedOrder>
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
export const makeOutcome = (): MatchOutcome => ({ fills: [], ended: [] })

/** Cash plus every position at its market's last close. @category models @since 0.1.0 */
export const equityOf = (account: MatchingAccount): number => {
  let equity = account.ledger.cash
  for (const { position, lastClose } of account.books) {
    if (position !== null) equity += position.quantity * (lastClose ?? position.entryPrice)
  }
  return equity
}

/** Notional of every open position at its market's last close. @category models @since 0.1.0 */
export const openNotionalOf = (account: MatchingAccount): number => {
  let notional = 0
  for (const { position, lastClose } of account.books) {
    if (position !== null) {
      notional += Math.abs(position.quantity) * (lastClose ?? position.entryPrice)
    }
  }
  return notional
}

/** Notional that may still be opened, fees included. @category models @since 0.1.0 */
export const buyingPowerOf = (account: MatchingAccount, leverage: number): number =>
  Math.max(0, equityOf(account) * leverage - openNotionalOf(account))

/** Places an order; it is matched from the next candle on. @category models @since 0.1.0 */
export const placeOrder = (account: MatchingAccount, market: number, order: OrderRequest): void => {
  account.books[market]!.orders.push({ ...order, age: 0, isTriggered: false })
}

/** Takes an order out of the book; false where it is not there. @category models @since 0.1.0 */
export const cancelOrder = (account: MatchingAccount, market: number, id: string): boolean => {
  const book = account.books[market]!
  const count = book.orders.length
  book.orders = book.orders.filter((order) => order.id !== id)
  return book.orders.length < count
}

/** Moves the stop or the target of an open position; an absent one stays. @category models @since 0.1.0 */
export const moveProtection = (
  account: MatchingAccount,
  market: number,
  levels: { readonly stop?: number; readonly target?: number }
): void => {
  const book = account.books[market]!
  if (book.position === null) return
  const before = book.protection ?? {
    entryOrderId: "moved",
    liveFrom: book.index + 1,
    direction: book.position.quantity > 0 ? 1 : -1,
    tick: 0,
    stop: null,
    stopReason: "stop_loss",
    target: null,
    trailing: null,
    breakEven: null
  }
  book.protection = { ...before, ...levels }
}

/** Takes the protective exits away from a position. @category models @since 0.1.0 */
export const cancelProtection = (account: MatchingAccount, market: number): void => {
  account.books[market]!.protection = null
}

/**
 * Shows the account one candle of each market that has one at this time, and fills what fills.
 *
 * **Details**
 *
 * At the open: exits, then market entries, in every market. Inside: protective exits, resting exits, resting entries.
 * At the end: trailing stops are raised and orders age. So what a stop frees inside a candle never pays for an entry at
 * its open.
 *
 * @category models
 * @since 0.1.0
 */
export const matchCandles = (
  account: MatchingAccount,
  candles: ReadonlyArray<CandleInput>,
  specs: ReadonlyArray<MarketSpec>,
  outcome: MatchOutcome
): MatchOutcome => {
  for (const candle of candles) account.books[candle.market]!.index++
  for (const candle of candles) atOpen(account, candle, specs[candle.market]!, outcome)
  for (const candle of candles) inside(account, candle, specs[candle.market]!, outcome)
  for (const candle of candles) atEnd(account.books[candle.market]!, candle, outcome)
  return outcome
}

/**
 * Fills every market order at the last close, for recordings that have ended and for fills at the close.
 *
 * @category models
 * @since 0.1.0
 */
export const matchAtClose = (
  account: MatchingAccount,
  market: number,
  spec: MarketSpec,
  outcome: MatchOutcome
): MatchOutcome => {
  const book = account.books[market]!
  const { lastClose, lastTime } = book
  if (lastClose === null || lastTime === null) return outcome
  const at = { market, time: lastTime, isInside: true }
  for (const leg of ["exit", "entry"] as const) {
    for (const order of marketOrders(book, leg)) {
      fillOrder(account, order, lastClose, at, spec, outcome)
    }
  }
  return outcome
}

/** Where and when a fill happens; `isInside` where protective exits are live from the next candle only. */
interface FillPlace {
  readonly market: number
  readonly time: number
  readonly isInside: boolean
}

const noOrders: ReadonlyArray<RestingOrder> = []

/** Takes the market orders of a leg out of the book. */
const marketOrders = (book: Book, leg: "entry" | "exit"): ReadonlyArray<RestingOrder> => {
  if (book.orders.length === 0) return noOrders
  const due = book.orders.filter((order) => order.type === "market" && order.leg === leg)
  if (due.length > 0) book.orders = book.orders.filter((order) => !due.includes(order))
  return due
}

const atOpen = (
  account: MatchingAccount,
  candle: CandleInput,
  spec: MarketSpec,
  outcome: MatchOutcome
): void => {
  const book = account.books[candle.market]!
  if (book.orders.length === 0) return
  const at = { market: candle.market, time: candle.time, isInside: false }
  for (const order of marketOrders(book, "exit")) {
    fillOrder(account, order, candle.open, at, spec, outcome)
  }
  for (const order of marketOrders(book, "entry")) {
    fillOrder(account, order, candle.open, at, spec, outcome)
  }
}

const inside = (
  account: MatchingAccount,
  candle: CandleInput,
  spec: MarketSpec,
  outcome: MatchOutcome
): void => {
  const book = account.books[candle.market]!
  if (book.position !== null) {
    liquidate(account, candle, spec, outcome)
    checkProtection(account, candle, spec, outcome)
  }
  if (book.orders.length === 0) return
  const at = { market: candle.market, time: candle.time, isInside: true }
  for (const leg of ["exit", "entry"] as const) {
    for (const order of [...book.orders]) {
      if (order.leg !== leg) continue
      const price = restingPrice(order, candle)
      if (Number.isNaN(price)) continue
      book.orders = book.orders.filter((one) => one !== order)
      fillOrder(account, order, price, at, spec, outcome)
    }
  }
}

const restingPrice = (order: RestingOrder, candle: CandleInput): number => {
  const { open, high, low } = candle
  switch (order.type) {
    case "market":
      return Number.NaN
    case "limit":
      return fillLimit(order.side, order.limit!, open, high, low)
    case "stop":
      return fillStop(order.side, order.stop!, open, high, low)
    case "stop_limit":
      return stopLimitPrice(order, candle)
  }
}

/** On the candle of its trigger a stop-limit order fills only where the limit lies beyond the stop. */
const stopLimitPrice = (order: RestingOrder, { open, high, low }: CandleInput): number => {
  const limit = order.limit!
  if (order.isTriggered) return fillLimit(order.side, limit, open, high, low)
  const trigger = fillStop(order.side, order.stop!, open, high, low)
  if (Number.isNaN(trigger)) return Number.NaN
  order.isTriggered = true
  const canFill =
    order.side === 1 ? trigger <= limit || low <= limit : trigger >= limit || high >= limit
  const isBeyond = order.side === 1 ? limit > order.stop! : limit < order.stop!
  if (!canFill || !isBeyond) return Number.NaN
  return order.side === 1 ? Math.min(trigger, limit) : Math.max(trigger, limit)
}

/** Closes at the price at which equity is gone, before any stop is looked at. */
const liquidate = (
  account: MatchingAccount,
  candle: CandleInput,
  spec: MarketSpec,
  outcome: MatchOutcome
): void => {
  const book = account.books[candle.market]!
  const position = book.position
  if (position === null || (position.quantity > 0 && spec.leverage <= 1)) return
  let elsewhere = account.ledger.cash
  account.books.forEach((other, market) => {
    if (market === candle.market || other.position === null) return
    elsewhere += other.position.quantity * (other.lastClose ?? other.position.entryPrice)
  })
  const level = -elsewhere / position.quantity
  if (!(level > 0)) return
  const side = position.quantity > 0 ? -1 : 1
  const price = fillStop(side, level, candle.open, candle.high, candle.low)
  if (Number.isNaN(price)) return
  closePosition(account, candle, spec, outcome, {
    orderId: `liquidation${book.index}`,
    leg: "exit",
    reason: "liquidation",
    price: slip(side, price, spec.slippageRate),
    isMaker: false,
    bestPrice: null
  })
}

const checkProtection = (
  account: MatchingAccount,
  candle: CandleInput,
  spec: MarketSpec,
  outcome: MatchOutcome
): void => {
  const book = account.books[candle.market]!
  const { position, protection } = book
  if (position === null || protection === null || book.index < protection.liveFrom) return
  const { open, high, low } = candle
  const side: SideSign = position.quantity > 0 ? -1 : 1
  const { stop, target, entryOrderId } = protection
  const stopPrice = stop === null ? Number.NaN : fillStop(side, stop, open, high, low)
  const targetPrice = target === null ? Number.NaN : fillLimit(side, target, open, high, low)
  // An open beyond the target comes before everything else of the candle.
  const isPastTarget = target !== null && (open - target) * -side >= 0
  if (!Number.isNaN(stopPrice) && !isPastTarget) {
    // Both touched: the stop counts, and what the target would have given is told beside it.
    const bestPrice = Number.isNaN(targetPrice) ? null : targetPrice
    closePosition(account, candle, spec, outcome, {
      orderId: `${entryOrderId}:stop`,
      leg: protection.stopReason === "trailing_stop" ? "trailing_stop" : "stop_loss",
      reason: protection.stopReason,
      price: slip(side, stopPrice, spec.slippageRate),
      isMaker: false,
      bestPrice
    })
  } else if (!Number.isNaN(targetPrice)) {
    closePosition(account, candle, spec, outcome, {
      orderId: `${entryOrderId}:target`,
      leg: "take_profit",
      reason: "take_profit",
      price: targetPrice,
      isMaker: true,
      bestPrice: null
    })
  }
}

const atEnd = (book: Book, candle: CandleInput, outcome: MatchOutcome): void => {
  book.lastClose = candle.close
  book.lastTime = candle.time
  if (book.position !== null && book.protection !== null) {
    raiseProtection(book.protection, book.position, candle.high, candle.low, book.index)
  }
  if (book.orders.length === 0) return
  for (const order of book.orders) order.age++
  const isOver = (order: RestingOrder) =>
    order.expiresAfter !== null && order.age >= order.expiresAfter
  for (const order of book.orders.filter(isOver)) {
    outcome.ended.push({
      orderId: order.id,
      market: candle.market,
      outcome: "expired",
      reason: `not filled within ${order.expiresAfter} candles`
    })
  }
  book.orders = book.orders.filter((order) => !isOver(order))
}

interface Closing {
  readonly orderId: string
  readonly leg: Leg
  readonly reason: ExitReason
  readonly price: number
  readonly isMaker: boolean
  /** The price of the better path through an ambiguous candle. */
  readonly bestPrice: number | null
}

/** Closes the whole position at a price and takes what protected it away. */
const closePosition = (
  account: MatchingAccount,
  at: { readonly market: number; readonly time: number },
  spec: MarketSpec,
  outcome: MatchOutcome,
  closing: Closing
): void => {
  const position = account.books[at.market]!.position!
  const side = position.quantity > 0 ? -1 : 1
  const quantity = Math.abs(position.quantity)
  const rate = closing.isMaker ? spec.makerRate : spec.takerRate
  const fee = feeOf(quantity, closing.price, rate, spec)
  const { bestPrice } = closing
  const bestFee = bestPrice === null ? fee : feeOf(quantity, bestPrice, spec.makerRate, spec)
  book(account, at, outcome, { ...closing, side, quantity, fee, bestFee })
}

const feeOf = (quantity: number, price: number, rate: number, spec: MarketSpec): number =>
  quantity * price * rate + spec.feePerFill

/** Fills a resting or market order at a raw price. */
const fillOrder = (
  account: MatchingAccount,
  order: RestingOrder,
  rawPrice: number,
  at: FillPlace,
  spec: MarketSpec,
  outcome: MatchOutcome
): void => {
  const isMaker = order.type === "limit" || order.type === "stop_limit"
  const price = isMaker ? rawPrice : slip(order.side, rawPrice, spec.slippageRate)
  const rate = isMaker ? spec.makerRate : spec.takerRate
  const held = account.books[at.market]!.position
  const reject = (reason: string) =>
    outcome.ended.push({ orderId: order.id, market: at.market, outcome: "rejected", reason })
  if (order.leg === "exit") {
    const isReducing = held !== null && held.quantity > 0 !== order.side > 0
    if (!isReducing) return void reject("there is no position to reduce")
    const quantity = Math.min(order.quantity, Math.abs(held.quantity))
    const fee = feeOf(quantity, price, rate, spec)
    return book(account, at, outcome, {
      orderId: order.id,
      leg: "exit",
      reason: order.reason,
      side: order.side,
      quantity,
      price,
      fee,
      bestPrice: null,
      bestFee: fee
    })
  }
  if (order.side === -1 && !spec.canShort) return void reject("this market can't be shorted")
  if (held !== null) return void reject("a position is open")
  const quantity = affordable(account, at.market, order.quantity, price, rate, spec)
  if (!(quantity > 0)) return void reject("there is not enough cash")
  if (quantity * price < spec.minNotional) return void reject("it is below the minimum notional")
  const fee = feeOf(quantity, price, rate, spec)
  book(account, at, outcome, {
    orderId: order.id,
    leg: "entry",
    reason: order.reason,
    side: order.side,
    quantity,
    price,
    fee,
    bestPrice: null,
    bestFee: fee
  })
  const target = account.books[at.market]!
  target.protection =
    order.attached === null
      ? null
      : protect(order, order.attached, price, target.index + (at.isInside ? 1 : 0), spec.tick)
}

/** The quantity cut to what can be paid at this price, on the lot. */
const affordable = (
  account: MatchingAccount,
  market: number,
  quantity: number,
  price: number,
  rate: number,
  spec: MarketSpec
): number => {
  let power = account.ledger.cash * spec.leverage
  account.books.forEach((other, index) => {
    const { position } = other
    if (position === null || index === market) return
    const last = other.lastClose ?? position.entryPrice
    power += position.quantity * last * spec.leverage - Math.abs(position.quantity) * last
  })
  power -= spec.feePerFill
  if (quantity * price * (1 + rate) <= power) return floorToLot(quantity, spec.lot)
  let cut = floorToLot(power / (price * (1 + rate)), spec.lot)
  // Rounding may leave a lot too many.
  if (cut * price * (1 + rate) > power) cut = floorToLot(cut - spec.lot, spec.lot)
  return cut
}

interface Booking {
  readonly orderId: string
  readonly leg: Leg
  readonly reason: ExitReason
  readonly side: SideSign
  readonly quantity: number
  readonly price: number
  readonly fee: number
  readonly bestPrice: number | null
  readonly bestFee: number
}

const book = (
  account: MatchingAccount,
  at: { readonly market: number; readonly time: number },
  outcome: MatchOutcome,
  booking: Booking
): void => {
  const target = account.books[at.market]!
  const before = target.position
  const { side, quantity, price, fee } = booking
  const { index } = target
  const done = applyFill(account.ledger, before, {
    side,
    quantity,
    price,
    fee,
    index,
    time: at.time
  })
  target.position = done.position
  let closed: ClosedTrade | null = null
  if (before !== null && done.closedQuantity > 0) {
    const direction = before.quantity > 0 ? 1 : -1
    const { bestPrice } = booking
    const bestPnl =
      bestPrice === null
        ? done.closedPnl
        : direction * done.closedQuantity * (bestPrice - before.entryPrice) -
          (done.closedFees - fee) -
          booking.bestFee
    closed = {
      market: at.market,
      direction,
      quantity: done.closedQuantity,
      entryIndex: before.entryIndex,
      entryTime: before.entryTime,
      entryPrice: before.entryPrice,
      exitIndex: index,
      exitTime: at.time,
      exitPrice: price,
      fees: done.closedFees,
      pnl: done.closedPnl,
      returnRate: done.closedPnl / (done.closedQuantity * before.entryPrice),
      exitReason: booking.reason,
      isAmbiguous: bestPrice !== null,
      bestPathPnl: bestPnl
    }
  }
  if (done.position === null) {
    target.protection = null
    target.lastExitIndex = index
    target.wasStopped = booking.leg === "stop_loss" || booking.leg === "trailing_stop"
  }
  outcome.fills.push({
    orderId: booking.orderId,
    market: at.market,
    leg: booking.leg,
    side,
    quantity,
    price,
    fee,
    index,
    time: at.time,
    effect: done.effect,
    closed
  })
}
