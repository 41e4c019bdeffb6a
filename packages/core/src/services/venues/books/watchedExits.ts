/**
 * Exits at a price that the bot watches itself, at venues where a resting order locks its coins.
 *
 * There an exit at rest, such as a ladder's target, would take its quantity from the stop. So the
 * stop has the whole quantity. The exit is watched here, and leaves at the market once the price
 * has reached it. It never leaves while an attempt of it that was taken back may fill. Decision
 * 0019 has the reasons.
 *
 * A stop of the bot's own bounds a loss. Beside no other stop it rests, without the quantity that
 * the exits before it close, and is replaced as that changes.
 *
 * @since 0.1.0
 */
import { BigDecimal } from "effect"
import { passesLimit, passesStop } from "@candlewick/engine/kernel"
import {
  decimalOfNumber,
  decimalOfUnsafe,
  decimalText,
  floorDecimalToStep,
  numberOf
} from "../../../domain/decimals.ts"
import { isTooSmall, type SellingContext } from "./dustLots.ts"
import {
  type BookLot,
  type BookOrder,
  isOrderOver,
  keptApart,
  lastPriceOf,
  type VenueBook
} from "./venueBook.ts"
import {
  askedThere,
  type ExitsContext,
  heldThere,
  locksQuantity,
  restsOfLots,
  type WantedExit
} from "./wantedExits.ts"

/** The facts that decide where exits rest, with the terms of their markets. */
export type WatchContext = ExitsContext &
  Pick<SellingContext, "markets"> & {
    /** The store's time; without it an exit that was refused waits for the next close. */
    readonly nowMs?: number | undefined
  }

/** The next step for an exit that may be watched. */
export interface WatchStep {
  /** To rest at the venue, to be sent at the market, or to be taken back and watched. */
  readonly type: "rest" | "leave" | "take_back"
  readonly exit: WantedExit
}

const nothing = BigDecimal.fromBigInt(0n)

const restOf = ({ filled, quantity }: BookOrder): BigDecimal.BigDecimal =>
  BigDecimal.subtract(decimalOfUnsafe(quantity), decimalOfUnsafe(filled))

/** Doubles may miss a whole number of steps by so much, as a part of the quantity. */
const withRounding = decimalOfUnsafe("1.0000000001")

/** Whether the last known price has passed the stop of an exit, or its limit where it has none. */
const isPassed = (book: VenueBook, order: BookOrder, { priceOf }: ExitsContext): boolean => {
  const { isTriggered = false, limitPrice, stopPrice } = order.watch!
  const price = priceOf?.(book.symbols[order.market]!) ?? lastPriceOf(book.markets[order.market]!)
  const level = isTriggered ? limitPrice : (stopPrice ?? limitPrice)
  if (price === null || level === null) return false
  const passes = stopPrice === null || isTriggered ? passesLimit : passesStop
  return passes(order.side, numberOf(decimalOfUnsafe(level)), price)
}

/** Whether the last known price has reached an exit. A stop limit never leaves beyond its limit. */
const isReached = (book: VenueBook, order: BookOrder, context: ExitsContext): boolean => {
  const watch = order.watch!
  if (!isPassed(book, order, context)) return false
  if (watch.stopPrice === null || watch.limitPrice === null || watch.isTriggered === true) {
    return true
  }
  watch.isTriggered = true
  return isPassed(book, order, context)
}

/** The quantity at the venue that an exit may close: of its lot, or of all. */
const heldFor = (book: VenueBook, order: BookOrder): BigDecimal.BigDecimal => {
  const lots = heldThere(book, order.market)
  const lot = keptApart(book, order.market, order.lot)
  return lot === null ? BigDecimal.sumAll(lots.values()) : (lots.get(lot.id) ?? nothing)
}

/**
 * The quantity that other exits leave to a watched one: of the position, or of the lot that it
 * closes where lots are kept apart. One that leaves at the market is kept from it by others at the
 * market alone, because those that rest are taken back for it.
 */
const freeFor = (
  book: VenueBook,
  order: BookOrder,
  { capabilities }: ExitsContext,
  type: "rest" | "leave"
): BigDecimal.BigDecimal => {
  const canShareQuantity = type === "leave" || !locksQuantity(capabilities)
  const rests = restsOfLots(book, order.market, { ...capabilities, canShareQuantity }, order)
  const lot = keptApart(book, order.market, order.lot)
  return lot === null ? BigDecimal.sumAll(rests.values()) : (rests.get(lot.id) ?? nothing)
}

/** Whether other exits that are on their way leave enough for this one. */
const hasRoom = (book: VenueBook, order: BookOrder, context: ExitsContext): boolean => {
  const held = heldFor(book, order)
  if (!BigDecimal.isPositive(held)) return false
  const asked = BigDecimal.min(restOf(order), held)
  return BigDecimal.isGreaterThanOrEqualTo(freeFor(book, order, context, "leave"), asked)
}

/** Of two stops of a position, the market reaches the one first whose nearness is larger. */
const nearnessOf = ({ side, watch }: BookOrder): number =>
  watch?.stopPrice == null ? 0 : -side * numberOf(decimalOfUnsafe(watch.stopPrice))

/** The bot's exits of a market that are not over, in the order in which they may rest. */
const exitsOf = (book: VenueBook, market: number): ReadonlyArray<BookOrder> => {
  const exits = Object.values(book.orders).filter(
    (order) =>
      order.market === market &&
      order.leg !== "entry" &&
      !order.isProtective &&
      !isOrderOver(book, order)
  )
  // A stop bounds a loss, so that it rests before an exit that takes a profit.
  const rankOf = ({ type, watch }: BookOrder): number =>
    type === "market" || watch === undefined ? 0 : watch.stopPrice !== null ? 1 : 2
  return exits.toSorted(
    (one, other) => rankOf(one) - rankOf(other) || nearnessOf(other) - nearnessOf(one)
  )
}

/** The bot's exits that may close the same as an exit, which is among them. */
const exitsLike = (book: VenueBook, order: BookOrder): ReadonlyArray<BookOrder> => {
  const all = exitsOf(book, order.market)
  if (keptApart(book, order.market, order.lot) === null) return all
  return all.filter(({ lot }) => lot === null || lot === order.lot)
}

/** Whether exits like one would together close more than is held, by a step. */
const isCrowded = (book: VenueBook, order: BookOrder): boolean => {
  const asked = BigDecimal.sumAll(exitsLike(book, order).map(restOf))
  const step = decimalOfNumber(book.specs[order.market]!.lot)
  const beyond = BigDecimal.subtract(asked, heldFor(book, order))
  return BigDecimal.isGreaterThanOrEqualTo(beyond, step)
}

/** The held quantity that the exits before a stop leave to it; it may be negative. */
const leftFor = (book: VenueBook, order: BookOrder): BigDecimal.BigDecimal => {
  const exits = exitsLike(book, order)
  const before = exits.slice(0, exits.indexOf(order))
  return BigDecimal.subtract(heldFor(book, order), BigDecimal.sumAll(before.map(restOf)))
}

const isStop = ({ watch }: BookOrder): boolean => watch?.stopPrice != null

/**
 * Whether an exit rests for all that it asks for. Orders that only reduce close no more than the
 * position, and none of them knows lots that are kept apart.
 */
const restsWhole = (
  book: VenueBook,
  { lot, market }: BookOrder,
  { capabilities }: ExitsContext
): boolean => !locksQuantity(capabilities) && keptApart(book, market, lot) === null

/** The quantity of a watched exit in whole steps. Fees in the coin may have left less. */
const quantityOf = (
  book: VenueBook,
  order: BookOrder,
  context: ExitsContext,
  type: "rest" | "leave"
): BigDecimal.BigDecimal => {
  const step = decimalOfNumber(book.specs[order.market]!.lot)
  const asked = floorDecimalToStep(BigDecimal.multiply(restOf(order), withRounding), step)
  if (type === "rest" && restsWhole(book, order, context)) return asked
  const free = floorDecimalToStep(freeFor(book, order, context, type), step)
  const sendable = BigDecimal.min(asked, free)
  if (type === "leave" || !isStop(order) || !locksQuantity(context.capabilities)) return sendable
  const left = BigDecimal.multiply(leftFor(book, order), withRounding)
  return BigDecimal.min(sendable, floorDecimalToStep(left, step))
}

/** Whether an exit rests for more than is left for it, or for less than it may have. */
const isMissized = (book: VenueBook, order: BookOrder, context: ExitsContext): boolean => {
  const resting = askedThere(order)
  const step = decimalOfNumber(book.specs[order.market]!.lot)
  const left = locksQuantity(context.capabilities)
    ? leftFor(book, order)
    : freeFor(book, order, context, "rest")
  if (BigDecimal.isGreaterThan(resting, BigDecimal.multiply(left, withRounding))) return true
  const short = BigDecimal.subtract(quantityOf(book, order, context, "rest"), resting)
  return BigDecimal.isGreaterThanOrEqualTo(short, step)
}

/**
 * Whether a stop can rest for a part of its quantity. It waits for exits after it that are to make
 * room, and is watched where its venue would refuse the part.
 */
const canRest = (book: VenueBook, order: BookOrder, context: WatchContext): boolean => {
  const { limitPrice, stopPrice } = order.watch!
  const step = decimalOfNumber(book.specs[order.market]!.lot)
  const quantity = quantityOf(book, order, context, "rest")
  const left = BigDecimal.min(restOf(order), leftFor(book, order))
  const missing = BigDecimal.subtract(floorDecimalToStep(left, step), quantity)
  if (BigDecimal.isGreaterThan(missing, step)) return false
  const price = numberOf(decimalOfUnsafe(limitPrice ?? stopPrice!))
  return !isTooSmall(book, order.market, quantity, { ...context, priceOf: () => price })
}

/** The lots that an exit may close. */
const lotsOf = (book: VenueBook, { lot, market }: BookOrder): ReadonlyArray<BookLot> => {
  const { lots } = book.markets[market]!
  return keptApart(book, market, lot) === null ? lots : lots.filter(({ id }) => id === lot)
}

/** Whether the price has passed a target of the lots of a stop, which then leave by the target. */
const isTargetPassed = (book: VenueBook, order: BookOrder, { priceOf }: ExitsContext): boolean => {
  const { market } = order
  const price = priceOf?.(book.symbols[market]!) ?? lastPriceOf(book.markets[market]!)
  return lotsOf(book, order).some(({ position, protection }) => {
    const target = protection?.target ?? null
    if (target === null || price === null) return false
    return passesLimit(position.quantity > 0 ? -1 : 1, target, price)
  })
}

const isLessThanStep = (book: VenueBook, order: BookOrder): boolean =>
  BigDecimal.isLessThan(leftFor(book, order), decimalOfNumber(book.specs[order.market]!.lot))

/** The next step of an exit at rest, or of one that has gone to the market. */
const stepAtVenue = (
  book: VenueBook,
  order: BookOrder,
  context: WatchContext,
  isBound: boolean
): WatchStep["type"] | null => {
  if (order.type === "market" || restsWhole(book, order, context)) return null
  const locks = locksQuantity(context.capabilities)
  // Where exits may overlap, this one rests beside the stop until another bot holds the market.
  const isInTheWay = locks && isBound
  const isSized = isStop(order) || !locks
  return isInTheWay || (isSized && isMissized(book, order, context)) ? "take_back" : null
}

/** How long an exit that its venue has refused waits where no candle closes. */
const askAgainMs = 60_000

/**
 * Whether an exit was refused so lately that it is not asked for again yet; notes until when. One
 * that can't be sent when its time has come waits as long again.
 */
const isPutOff = (book: VenueBook, order: BookOrder, { nowMs }: WatchContext): boolean => {
  const watch = order.watch!
  if (watch.refusedIndex !== book.markets[order.market]!.index) return false
  if (nowMs === undefined) return true
  const isDue = watch.askAgainMs !== undefined && nowMs >= watch.askAgainMs
  if (isDue || watch.askAgainMs === undefined) watch.askAgainMs = nowMs + askAgainMs
  return !isDue
}

const stepOf = (
  book: VenueBook,
  order: BookOrder,
  context: WatchContext
): WatchStep["type"] | null => {
  const lots = lotsOf(book, order)
  if (lots.length === 0) return null
  // A stop has the whole quantity of its lot, and so has a target where no stop bounds the loss.
  const hasLevel = lots.some(
    ({ protection }) => (protection?.stop ?? (isStop(order) ? null : protection?.target)) != null
  )
  const isStopBound = () => isLessThanStep(book, order) || isTargetPassed(book, order, context)
  const isBound = hasLevel || (isStop(order) ? isStopBound() : isCrowded(book, order))
  if (!order.watch!.isOn) return stepAtVenue(book, order, context, isBound)
  // An attempt that is being taken back may fill still, and so sell a part of the rest.
  if ((order.watch!.awaited ?? []).length > 0) return null
  if (isPutOff(book, order, context)) return null
  const locks = locksQuantity(context.capabilities)
  const isFree = !locks || !isBound
  // An exchange refuses a stop that the price has passed.
  if ((isStop(order) || !isFree) && isReached(book, order, context)) {
    return hasRoom(book, order, context) ? "leave" : null
  }
  if (!isFree) return null
  const mayBeCut = isStop(order) && !restsWhole(book, order, context)
  return !mayBeCut || canRest(book, order, context) ? "rest" : null
}

const toExit = (
  book: VenueBook,
  clientOrderId: string,
  order: BookOrder,
  { capabilities }: ExitsContext,
  quantity: string
): WantedExit => {
  const { exitReason, lot, market, side, type, watch } = order
  const isLeaving = type === "market"
  const isTriggered = !isLeaving && watch!.isTriggered === true
  return {
    clientOrderId,
    lot: lot ?? clientOrderId,
    market,
    symbol: book.symbols[market]!,
    side: side === 1 ? "buy" : "sell",
    leg: "exit",
    exitReason,
    type: isTriggered ? "limit" : type,
    quantity,
    stopPrice: isLeaving || isTriggered ? null : watch!.stopPrice,
    limitPrice: isLeaving ? null : watch!.limitPrice,
    isReduceOnly: capabilities.hasReduceOnly,
    ...(!isLeaving && { expiresAtMs: watch!.expiresAtMs, cancelsAtMs: watch!.cancelsAtMs }),
    isPassed: isLeaving
  }
}

/** The next step of one exit, noted in the books. */
const watchExit = (
  book: VenueBook,
  [id, order]: readonly [id: string, order: BookOrder],
  context: WatchContext,
  unsellable: ReadonlySet<number>
): ReadonlyArray<WatchStep> => {
  if (order.watch === undefined || isOrderOver(book, order)) return []
  const type = stepOf(book, order, context)
  if (type === null) return []
  const asked = restOf(order)
  const quantity = type === "take_back" ? asked : quantityOf(book, order, context, type)
  const isSent = type !== "take_back"
  if (isSent && (unsellable.has(order.market) || !BigDecimal.isPositive(quantity))) return []
  const unsent = BigDecimal.subtract(asked, quantity)
  const step = decimalOfNumber(book.specs[order.market]!.lot)
  const isCut = BigDecimal.isGreaterThan(unsent, step)
  order.watch.isOn = !isSent
  if (isSent) delete order.watch.refusedIndex
  if (isSent) delete order.watch.askAgainMs
  order.watch.unsent = isCut ? "0" : decimalText(unsent)
  if (isCut && isSent) order.watch.cut = decimalText(unsent)
  else delete order.watch.cut
  if (type === "leave") order.type = "market"
  const exit = toExit(book, id, order, context, decimalText(quantity))
  return [{ type, exit: isCut ? { ...exit, asked: decimalText(asked) } : exit }]
}

/**
 * Decides which exits of a bot rest, are watched, or leave, and notes it in the books. A watched
 * exit goes on as the bot's order; an exit of a position without a stop rests like any other. In
 * markets of `unsellable` nothing is sent.
 */
export const watchExits = (
  book: VenueBook,
  context: WatchContext,
  unsellable: ReadonlySet<number> = new Set()
): ReadonlyArray<WatchStep> => {
  const steps: Array<WatchStep> = []
  for (;;) {
    const more = Object.entries(book.orders).flatMap((one) =>
      watchExit(book, one, context, unsellable)
    )
    steps.push(...more)
    // An exit that leaves may have others taken back, which rest before it in the books.
    if (!more.some(({ type }) => type === "leave")) return steps
  }
}

/**
 * Ends a watched exit that its bot takes back, and says whether the books have changed. An exit at
 * the venue ends when the venue says so.
 */
export const unwatch = (book: VenueBook, clientOrderId: string): boolean => {
  const order = book.orders[clientOrderId]
  if (order?.watch === undefined) return false
  const { cut = "0", isOn, unsent = "0" } = order.watch
  if (isOn) {
    order.outcome = "cancelled"
    order.isEndTold = true
  }
  // The attempt at the venue asks for no more than this, and its last fill is the order's.
  const apart = BigDecimal.sum(decimalOfUnsafe(cut), decimalOfUnsafe(unsent))
  order.quantity = decimalText(BigDecimal.subtract(decimalOfUnsafe(order.quantity), apart))
  delete order.watch
  return true
}
