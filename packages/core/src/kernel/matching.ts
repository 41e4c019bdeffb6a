/**
 * Shows candles to an account: which of its orders fill, at what price, in which order.
 *
 * The backtest and the paper broker are both this engine. The order of things inside a candle is
 * that of `docs/simulation.md`.
 *
 * @since 0.1.0
 */
import type {
  Book,
  CandleInput,
  CandleSlice,
  MarketSpec,
  MatchingAccount,
  MatchOutcome,
  RestingOrder
} from "./account.ts"
import { closePosition, fillOrder, slippageOf } from "./booking.ts"
import { fillLimit, fillStop, type SideSign, slip } from "./fill.ts"
import { applyFunding } from "./ledger.ts"
import { raiseProtection } from "./protection.ts"

/**
 * Shows the account one candle of each market that has one at this time, and fills what fills.
 *
 * **Details**
 *
 * Funding that fell due is paid first. At the open: exits, then market entries, in every market.
 * Inside: protective exits, resting exits, resting entries. At the end: trailing stops are raised
 * and orders age. So what a stop frees inside a candle never pays for an entry at its open.
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
  for (const candle of candles) payFunding(account, candle, specs[candle.market]!, outcome)
  for (const candle of candles) atOpen(account, candle, specs[candle.market]!, outcome)
  for (const candle of candles) inside(account, candle, specs[candle.market]!, outcome)
  for (const candle of candles) atEnd(account.books[candle.market]!, candle, outcome)
  return outcome
}

/** What is filled at a close. @category models @since 0.1.0 */
export interface ClosingOptions {
  /** Both legs where nothing is said. */
  readonly legs?: ReadonlyArray<"exit" | "entry">
  /** Volume of the candle that closed; without it orders are filled whole. */
  readonly volume?: number | undefined
}

/**
 * Fills market orders at the last close: those of both legs for fills at the close, exits only
 * where a position is closed although no candle will come.
 *
 * @category models
 * @since 0.1.0
 */
export const matchAtClose = (
  account: MatchingAccount,
  market: number,
  spec: MarketSpec,
  outcome: MatchOutcome,
  options: ClosingOptions = {}
): MatchOutcome => {
  const book = account.books[market]!
  const { lastClose, lastTime } = book
  if (lastClose === null || lastTime === null) return outcome
  const at = { market, time: lastTime, volume: options.volume, isInside: true }
  for (const leg of options.legs ?? (["exit", "entry"] as const)) {
    for (const order of marketOrders(book, leg)) {
      fillOrder(account, order, lastClose, at, spec, outcome)
    }
  }
  return outcome
}

/** A position that was held at a multiple of the interval pays, once for each that has passed. */
const payFunding = (
  account: MatchingAccount,
  { market, open, time }: CandleInput,
  { funding }: MarketSpec,
  outcome: MatchOutcome
): void => {
  const book = account.books[market]!
  const { lastTime, position } = book
  if (funding === undefined || position === null || lastTime === null) return
  const { intervalMs, rate } = funding
  const count = Math.floor(time / intervalMs) - Math.floor(lastTime / intervalMs)
  if (count <= 0 || rate === 0) return
  const amount = position.quantity * open * rate * count
  book.position = applyFunding(account.ledger, position, amount)
  outcome.payments.push({ market, time, amount })
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
  const { market, time, volume } = candle
  const at = { market, time, volume, isInside: false }
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
  const { market, time, volume } = candle
  const at = { market, time, volume, isInside: true }
  for (const leg of ["exit", "entry"] as const) {
    for (const order of book.orders) {
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

/**
 * On the candle of its trigger a stop-limit order fills only where the limit lies beyond the stop.
 */
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
  // What the open gives comes before anything that the rest of the candle takes.
  if (isPastTarget(book, candle.open)) return
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
    price: slip(side, price, slippageOf(spec, position.quantity, candle)),
    isMaker: false,
    bestPrice: null
  })
}

/** Whether a live target of the position lies before the open. */
const isPastTarget = ({ index, position, protection }: Book, open: number): boolean => {
  if (position === null || protection === null || index < protection.liveFrom) return false
  const { target } = protection
  return target !== null && (open - target) * position.quantity >= 0
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
  if (!Number.isNaN(stopPrice) && !isPastTarget(book, open)) {
    // Both touched: the stop counts, and what the target would have given is told beside it, unless
    // the open was beyond the stop, which then came first for certain.
    const isFirst = stop !== null && (open - stop) * side >= 0
    const isBoth = !isFirst && !Number.isNaN(targetPrice)
    const told = isBoth ? firstTouched(candle.detail, side, stop!, target!) : null
    if (told?.level === "target") {
      return takeProfit(account, candle, spec, outcome, entryOrderId, told.price)
    }
    const bestPrice = isBoth && told === null ? targetPrice : null
    closePosition(account, candle, spec, outcome, {
      orderId: `${entryOrderId}:stop`,
      leg: protection.stopReason === "trailing_stop" ? "trailing_stop" : "stop_loss",
      reason: protection.stopReason,
      price: slip(side, told?.price ?? stopPrice, slippageOf(spec, position.quantity, candle)),
      isMaker: false,
      bestPrice
    })
  } else if (!Number.isNaN(targetPrice)) {
    takeProfit(account, candle, spec, outcome, entryOrderId, targetPrice)
  }
}

const takeProfit = (
  account: MatchingAccount,
  candle: CandleInput,
  spec: MarketSpec,
  outcome: MatchOutcome,
  entryOrderId: string,
  price: number
): void =>
  closePosition(account, candle, spec, outcome, {
    orderId: `${entryOrderId}:target`,
    leg: "take_profit",
    reason: "take_profit",
    price,
    isMaker: true,
    bestPrice: null
  })

/**
 * Which of two levels shorter candles touch first, and at what price; null where they can't tell.
 */
const firstTouched = (
  detail: CandleSlice | undefined,
  side: SideSign,
  stop: number,
  target: number
): { readonly level: "stop" | "target"; readonly price: number } | null => {
  if (detail === undefined) return null
  const { columns, from, to } = detail
  for (let index = from; index < to; index++) {
    const open = columns.open[index]!
    const high = columns.high[index]!
    const low = columns.low[index]!
    const atStop = fillStop(side, stop, open, high, low)
    const atTarget = fillLimit(side, target, open, high, low)
    const isOpenPastTarget = (open - target) * -side >= 0
    const isOpenPastStop = (open - stop) * side >= 0
    if (!Number.isNaN(atTarget) && (Number.isNaN(atStop) || isOpenPastTarget)) {
      return { level: "target", price: atTarget }
    }
    if (!Number.isNaN(atStop) && (Number.isNaN(atTarget) || isOpenPastStop)) {
      return { level: "stop", price: atStop }
    }
    if (!Number.isNaN(atStop)) return null
  }
  return null
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
