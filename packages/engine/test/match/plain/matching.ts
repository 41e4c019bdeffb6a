/**
 * The stages of a candle as plain objects, to which a desk is held: which orders fill, at what
 * price, in which order. This model has nothing of a desk but the rules of prices and levels.
 *
 * The order of things inside a candle is that of `docs/simulation.md`.
 */
import type {
  Book,
  CandleInput,
  Leg,
  MarketSpec,
  MatchingAccount,
  MatchOutcome,
  RestingOrder
} from "../../../src/kernel/account.ts"
import { closePosition, fillOrder, slippageOf } from "./booking.ts"
import { fillLimit, fillStop, fillStopLimit, passesLimit, slip } from "../../../src/kernel/fill.ts"
import { applyFunding, type ExitReason } from "../../../src/kernel/ledger.ts"
import type { Protection } from "../../../src/kernel/protection.ts"
import { raiseProtection } from "./protection.ts"
import {
  type ProtectedCandle,
  type ProtectedExit,
  readCandle,
  readInside,
  type Watched
} from "./readProtection.ts"

/**
 * Shows the account one candle of each market that has one at this time, and fills what fills.
 *
 * **Details**
 *
 * Funding that fell due is paid first. At the open: exits, then market entries, in every market.
 * Inside: liquidation and protective exits, resting exits, resting entries. At the end: trailing
 * stops are raised and orders age. So what a stop frees inside a candle never pays for an entry at
 * its open.
 */
export const matchCandles = (
  account: MatchingAccount,
  candles: ReadonlyArray<CandleInput>,
  specs: ReadonlyArray<MarketSpec>,
  outcome: MatchOutcome
): MatchOutcome => {
  outcome.isHeld = false
  for (const candle of candles) account.books[candle.market]!.index++
  for (const candle of candles) payFunding(account, candle, specs[candle.market]!, outcome)
  for (const candle of candles) atOpen(account, candle, specs[candle.market]!, outcome)
  for (const candle of candles) inside(account, candle, specs[candle.market]!, outcome)
  for (const candle of candles) atEnd(account.books[candle.market]!, candle, outcome)
  return outcome
}

/** The orders to fill at a close. */
export interface ClosingOptions {
  /** Both legs where nothing is said. */
  readonly legs?: ReadonlyArray<"exit" | "entry">
  /** Volume of the candle that closed; without it orders are filled whole. */
  readonly volume?: number | undefined
}

/**
 * Fills market orders at the last close: those of both legs for fills at the close, exits only
 * where a position is closed although no candle will come.
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

/** Whether entries wait until the rest of an exit at market is filled. */
const waitsForExit = ({ orders, position }: Book): boolean =>
  position !== null && orders.some(({ leg, type }) => leg === "exit" && type === "market")

/** Takes the market orders of a leg out of the book. */
const marketOrders = (book: Book, leg: "entry" | "exit"): ReadonlyArray<RestingOrder> => {
  if (book.orders.length === 0 || (leg === "entry" && waitsForExit(book))) return noOrders
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
  const { market, time, volume } = candle
  const at = { market, time, volume, isInside: true }
  const passed = book.orders.filter((order) => isPassedExit(order, candle))
  if (passed.length > 0 && book.position !== null) {
    checkExits(account, candle, spec, outcome, true)
  }
  book.orders = book.orders.filter((order) => !passed.includes(order))
  for (const order of passed) fillOrder(account, order, candle.open, at, spec, outcome)
  const { ambiguousCount } = outcome
  const isDoubtful = fillBeforeStop(account, candle, spec, outcome)
  if (book.position !== null) checkExits(account, candle, spec, outcome)
  if (isDoubtful && outcome.ambiguousCount === ambiguousCount) outcome.ambiguousCount++
  if (book.orders.length === 0) return
  for (const leg of ["exit", "entry"] as const) {
    for (const order of book.orders) {
      // The rest of an exit that the open has passed waits for the next candle.
      if (order.leg !== leg || isPassedExit(order, candle)) continue
      if (leg === "entry" && waitsForExit(book)) continue
      const price = restingPrice(order, candle)
      if (Number.isNaN(price)) continue
      book.orders = book.orders.filter((one) => one !== order)
      if (book.position !== null && price !== candle.open) outcome.isHeld = true
      fillOrder(account, order, price, at, spec, outcome)
    }
  }
}

/** Whether the open has passed a limit exit, which fills there before all inside the candle. */
const isPassedExit = (order: RestingOrder, { open }: CandleInput): boolean =>
  order.leg === "exit" && isLimit(order) && passesLimit(order.side, order.limit!, open)

const isLimit = ({ isTriggered, type }: RestingOrder): boolean =>
  type === "limit" || (type === "stop_limit" && isTriggered)

/**
 * Fills the limit exits which shorter candles reach before the stop of the position; true where the
 * candle reaches both, and does not tell.
 */
const fillBeforeStop = (
  account: MatchingAccount,
  candle: CandleInput,
  spec: MarketSpec,
  outcome: MatchOutcome
): boolean => {
  const book = account.books[candle.market]!
  if (book.position === null) return false
  const watched = watchedOf(account, candle.market)
  const whole = readCandle(watched, candle)
  const exit = toldInside(watched, candle, whole)?.exit ?? null
  if (exit === null || exit.isAtOpen || exit.level === "target") return false
  const { detail } = candle
  const count = detail === undefined ? 0 : detail.to - detail.from
  const nths = Array.from({ length: count }, (_, nth) => nth)
  const inside = nths.map((nth) => {
    const { high, low, open } = detail!.columns
    const at = detail!.from + nth
    return { open: open[at]!, high: high[at]!, low: low[at]! }
  })
  const isRead = whole!.others.length > 0
  const reaches = (nth: number): boolean => {
    if (isRead) return readInside(watched, { ...detail!, to: detail!.from + nth + 1 }).exit !== null
    return watched.direction === 1
      ? inside[nth]!.low <= exit.price
      : inside[nth]!.high >= exit.price
  }
  const stopAt = nths.find(reaches) ?? count
  let isDoubtful = false
  for (const order of book.orders) {
    if (order.leg !== "exit" || !isLimit(order) || isPassedExit(order, candle)) continue
    if (Number.isNaN(restingPrice(order, candle))) continue
    const prices = inside.map((one) =>
      fillLimit(order.side, order.limit!, one.open, one.high, one.low)
    )
    const found = prices.findIndex((price) => !Number.isNaN(price))
    const reachedAt = found === -1 ? count : found
    if (reachedAt === stopAt) isDoubtful = true
    if (reachedAt >= stopAt) continue
    book.orders = book.orders.filter((one) => one !== order)
    outcome.isHeld = true
    fillOrder(account, order, prices[found]!, { ...candle, isInside: true }, spec, outcome)
  }
  return isDoubtful
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

/** A stop-limit order that the candle triggers rests as a limit from the next one on. */
const stopLimitPrice = (order: RestingOrder, { open, high, low }: CandleInput): number => {
  const limit = order.limit!
  if (order.isTriggered) return fillLimit(order.side, limit, open, high, low)
  const stop = order.stop!
  const trigger = fillStop(order.side, stop, open, high, low)
  if (Number.isNaN(trigger)) return Number.NaN
  order.isTriggered = true
  return fillStopLimit(order.side, stop, limit, trigger, high, low)
}

/**
 * The price at which equity is gone, null where there is none. A long that was paid in full has one
 * once funding has taken more than the cash.
 */
const ruinOf = (account: MatchingAccount, market: number): number | null => {
  const position = account.books[market]!.position!
  let elsewhere = account.ledger.cash
  account.books.forEach((other, index) => {
    if (index === market || other.position === null) return
    elsewhere += other.position.quantity * (other.lastClose ?? other.position.entryPrice)
  })
  const level = -elsewhere / position.quantity
  return level > 0 ? level : null
}

/** The orders that may close the position of a market in the candle that is shown. */
const watchedOf = (account: MatchingAccount, market: number): Watched => {
  const { index, position, protection } = account.books[market]!
  return {
    direction: position!.quantity > 0 ? 1 : -1,
    protection: protection !== null && index >= protection.liveFrom ? protection : null,
    ruin: ruinOf(account, market)
  }
}

/** Closes the position where the candle liquidates it or touches what protects it. */
const checkExits = (
  account: MatchingAccount,
  candle: CandleInput,
  spec: MarketSpec,
  outcome: MatchOutcome,
  isOpenAlone = false
): void => {
  const book = account.books[candle.market]!
  const { quantity } = book.position!
  const watched = watchedOf(account, candle.market)
  const { protection, ruin } = watched
  if (protection === null && ruin === null) return
  const read = toldInside(watched, candle, readCandle(watched, candle))
  if (read === null || (isOpenAlone && read.exit?.isAtOpen !== true)) return
  const side = quantity > 0 ? -1 : 1
  const priceOf = ({ level, price }: ProtectedExit): number =>
    level === "target" ? price : slip(side, price, slippageOf(spec, quantity, candle))
  const others = read.others.map((one) => ({
    price: priceOf(one),
    isMaker: one.level === "target"
  }))
  if (others.length > 0) outcome.ambiguousCount++
  const { exit } = read
  if (exit === null) {
    if (protection !== null) noteOthers(protection, others)
    return
  }
  const { isAtOpen, level, reason } = exit
  if (!isAtOpen) outcome.isHeld = true
  closePosition(account, candle, spec, outcome, {
    orderId:
      level === "liquidation" ? `liquidation${book.index}` : `${protection!.entryOrderId}:${level}`,
    leg: legOf(reason),
    reason,
    price: priceOf(exit),
    isMaker: level === "target",
    others
  })
}

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

/** What shorter candles say, where the path through the candle makes a difference. */
const toldInside = (
  watched: Watched,
  { detail }: CandleInput,
  read: ProtectedCandle | null
): ProtectedCandle | null => {
  if (read === null || read.others.length === 0 || detail === undefined) return read
  const told = readInside(watched, detail)
  // Where they touch nothing that the candle has touched, they are not all there.
  return told.exit === null && read.exit !== null ? read : told
}

/** Keeps what other paths would have given until the position is closed. */
const noteOthers = (
  protection: Protection,
  others: ReadonlyArray<{ readonly price: number }>
): void => {
  if (others.length === 0) return
  const { direction, passed } = protection
  const prices = others.map(({ price }) => price)
  if (passed !== undefined) prices.push(passed.best, passed.worst)
  const [least, most] = [Math.min(...prices), Math.max(...prices)]
  protection.passed = direction === 1 ? { best: most, worst: least } : { best: least, worst: most }
}

const atEnd = (book: Book, candle: CandleInput, outcome: MatchOutcome): void => {
  book.lastClose = candle.close
  book.lastTime = candle.time
  if (book.position !== null) outcome.isHeld = true
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

/**
 * Moves the stop or the target of an open position; an absent one stays.
 */
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
