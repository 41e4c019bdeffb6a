/**
 * Exits inside a candle in the plain model, of a position and of orders: which come first, and at
 * what price.
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
import { fillLimit, fillStop, fillStopLimit, slip } from "../../../src/kernel/fill.ts"
import type { ExitReason } from "../../../src/kernel/ledger.ts"
import type { Protection } from "../../../src/kernel/protection.ts"
import {
  type ProtectedCandle,
  type ProtectedExit,
  readCandle,
  readInside,
  type Watched
} from "./readProtection.ts"

/** Whether the open has passed an exit, which fills there before all inside the candle. */
export const isPassedExit = (order: RestingOrder, candle: CandleInput): boolean =>
  order.leg === "exit" && priceAsked(order, candle) === candle.open

/**
 * Fills the exits that the candle reaches by side, the losing one first and the nearest to the open
 * first. Returns true where it leaves their order open.
 */
export const closeBySide = (
  account: MatchingAccount,
  candle: CandleInput,
  spec: MarketSpec,
  outcome: MatchOutcome
): boolean => {
  const book = account.books[candle.market]!
  const done = new Set<string>()
  const find = (isTimed: boolean) => {
    const orders = book.orders.flatMap((order) => placeOfOrder(order, candle, isTimed))
    return { orders, position: placeOfPosition(account, candle, isTimed) }
  }
  const whole = find(false)
  if (whole.orders.length === 0) return false
  const isInDoubt = isDoubtfulAt(book, whole, -1)
  const isRead = whole.position !== null && whole.position.isRead
  const isTimed = candle.detail !== undefined && (isInDoubt || isRead)
  let isDoubtful = isInDoubt && !isTimed
  for (;;) {
    const found = find(isTimed)
    const left = found.orders.filter(({ order }) => !done.has(order.id))
    const [first] = left.sort((one, other) => comparePlaces(one.place, other.place))
    if (first === undefined) return isDoubtful
    if (isTimed && isDoubtfulAt(book, found, first.place.at)) isDoubtful = true
    const { order, place, price } = first
    const own = found.position?.place ?? null
    if (own !== null && comparePlaces(own, place) <= 0) {
      checkExits(account, candle, spec, outcome)
      continue
    }
    done.add(order.id)
    restingPrice(order, candle)
    book.orders = book.orders.filter((one) => one !== order)
    if (book.position !== null) outcome.isHeld = true
    fillOrder(account, order, price, { ...candle, isInside: true }, spec, outcome)
  }
}

/** Where an exit comes in its candle; `rank` is 0 at an open, 1 on the losing side, 2 on the other. */
interface Place {
  /** The number of the shorter candle, -1 where none decides. */
  readonly at: number
  readonly rank: 0 | 1 | 2
  readonly away: number
}

const comparePlaces = (one: Place, other: Place): number =>
  one.at - other.at || one.rank - other.rank || one.away - other.away

interface PlacedOrder {
  readonly order: RestingOrder
  readonly price: number
  readonly place: Place
}

/** The shorter candles, and after the last one the whole candle, for what none of them reaches. */
const pricesInside = ({ detail, high, low, open }: CandleInput) => {
  const count = detail === undefined ? 0 : detail.to - detail.from
  const inside = Array.from({ length: count }, (_, nth) => {
    const { columns, from } = detail!
    const [low, high] = [columns.low[from + nth]!, columns.high[from + nth]!]
    return { open: columns.open[from + nth]!, high, low }
  })
  return [...inside, { open, high, low }]
}

const placeAt = (at: number, open: number, price: number, rises: boolean, rank: 1 | 2): Place => {
  const away = rises ? price - open : open - price
  return away > 0 ? { at, rank, away } : { at, rank: 0, away: 0 }
}

const placeOfOrder = (
  order: RestingOrder,
  candle: CandleInput,
  isTimed: boolean
): ReadonlyArray<PlacedOrder> => {
  const whole = order.leg === "exit" ? priceAsked(order, candle) : Number.NaN
  if (Number.isNaN(whole) || whole === candle.open) return []
  const rises = whole > candle.open
  const rank = rises === order.side < 0 ? 2 : 1
  if (!isTimed)
    return [{ order, price: whole, place: placeAt(-1, candle.open, whole, rises, rank) }]
  const inside = pricesInside(candle)
  const prices = inside.map((one) => priceAsked(order, one))
  const at = prices.findIndex((price) => !Number.isNaN(price))
  const price = prices[at]!
  return [{ order, price, place: placeAt(at, inside[at]!.open, price, rises, rank) }]
}

interface PlacedPosition {
  /** Null where the position is held on. */
  readonly place: Place | null
  /** Whether the candle has touched its target as well as its stop. */
  readonly hasBoth: boolean
  /** Whether shorter candles are read for it alone. */
  readonly isRead: boolean
}

const placeOfPosition = (
  account: MatchingAccount,
  candle: CandleInput,
  isTimed: boolean
): PlacedPosition | null => {
  if (account.books[candle.market]!.position === null) return null
  const { detail, open } = candle
  const watched = watchedOf(account, candle.market)
  const whole = readCandle(watched, candle)
  const told = toldInside(watched, candle, whole)
  const exit = told?.exit ?? null
  const isRead = detail !== undefined && whole !== null && whole.others.length > 0
  const hasBoth = told !== null && told.others.some(({ level }) => level === "target")
  if (exit === null) return { place: null, hasBoth, isRead }
  if (exit.isAtOpen) return { place: { at: -1, rank: 0, away: 0 }, hasBoth, isRead }
  const isTarget = exit.level === "target"
  const rises = isTarget === (watched.direction === 1)
  const rank = isTarget ? 2 : 1
  const { price } = exit
  if (!isTimed) return { place: placeAt(-1, open, price, rises, rank), hasBoth, isRead }
  const inside = pricesInside(candle)
  const at = inside.findIndex(({ high, low }, nth) => {
    const to = detail!.from + nth + 1
    if (nth === inside.length - 1) return true
    if (isRead) return readInside(watched, { ...detail, to }).exit !== null
    return rises ? high >= price : low <= price
  })
  return { place: placeAt(at, inside[at]!.open, price, rises, rank), hasBoth, isRead }
}

/** Whether exits on both sides of a candle's open, orders among them, are more than is held. */
const isDoubtfulAt = (
  book: Book,
  found: {
    readonly orders: ReadonlyArray<PlacedOrder>
    readonly position: PlacedPosition | null
  },
  at: number
): boolean => {
  const { position } = book
  if (position === null || found.position === null) return false
  const { hasBoth, place } = found.position
  if (place !== null && (place.at < at || place.rank === 0)) return false
  let held = Math.abs(position.quantity)
  const sums = { 1: 0, 2: 0 }
  if (place !== null && place.at === at) {
    sums[place.rank as 1 | 2] += held
    if (hasBoth && place.rank === 1) sums[2] += held
  }
  let hasOrder = false
  for (const { order, place } of found.orders) {
    if (place.at !== at || order.side > 0 === position.quantity > 0) continue
    if (place.rank === 0) held -= order.quantity
    else {
      hasOrder = true
      sums[place.rank] += order.quantity
    }
  }
  return hasOrder && sums[1] > 0 && sums[2] > 0 && sums[1] + sums[2] > held * (1 + 1e-9)
}

/** The price that an order would fill at; nothing is triggered by the question. */
const priceAsked = (order: RestingOrder, prices: Prices): number =>
  restingPrice({ ...order }, prices)

interface Prices {
  readonly open: number
  readonly high: number
  readonly low: number
}

export const restingPrice = (order: RestingOrder, candle: Prices): number => {
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
const stopLimitPrice = (order: RestingOrder, { open, high, low }: Prices): number => {
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
export const checkExits = (
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

/** The answer of shorter candles, where the path through the candle makes a difference. */
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
