/**
 * The stages of a candle as plain objects, to which a matcher is held: which orders fill, at what
 * price, in which order. This model has nothing of a matcher but the rules of prices and levels.
 *
 * The order of things inside a candle is that of `docs/simulation.md`.
 */
import type {
  Book,
  CandleInput,
  MarketSpec,
  MatchingAccount,
  MatchOutcome,
  RestingOrder
} from "../../../src/kernel/account.ts"
import { fillOrder } from "./booking.ts"
import { checkExits, isPassedExit, closeBySide, restingPrice } from "./exits.ts"
import { applyFunding } from "../../../src/kernel/ledger.ts"
import { raiseProtection } from "./protection.ts"

/**
 * Shows the account one candle of each market that has one at this time, and fills what fills.
 *
 * **Details**
 *
 * Funding that fell due is paid first. At the open: exits, then market entries, in every market.
 * Inside: liquidation, protective exits and resting exits by side, then resting entries. At the
 * end: trailing stops are raised and orders age. So what a stop frees inside a candle never pays
 * for an entry at its open.
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
 * Fills market orders at the last close. Fills at the close take those of both legs; a position
 * that is closed although no candle will come takes exits only.
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
  for (const order of passed) {
    book.orders = book.orders.filter((one) => one !== order)
    fillOrder(account, order, restingPrice(order, candle), at, spec, outcome)
  }
  const { ambiguousCount } = outcome
  const isDoubtful = closeBySide(account, candle, spec, outcome)
  if (book.position !== null) checkExits(account, candle, spec, outcome)
  if (isDoubtful && outcome.ambiguousCount === ambiguousCount) outcome.ambiguousCount++
  for (const order of book.orders) if (order.leg === "exit") restingPrice(order, candle)
  for (const order of book.orders) {
    if (order.leg !== "entry" || waitsForExit(book)) continue
    const price = restingPrice(order, candle)
    if (Number.isNaN(price)) continue
    book.orders = book.orders.filter((one) => one !== order)
    if (book.position !== null && price !== candle.open) outcome.isHeld = true
    fillOrder(account, order, price, at, spec, outcome)
  }
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
      reason: `not filled within ${order.expiresAfter} candles`,
      index: book.index
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
