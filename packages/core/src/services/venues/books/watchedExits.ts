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
  numberOf
} from "../../../domain/decimals.ts"
import {
  canRest,
  isRoomFor,
  isCrowded,
  isLessThanStep,
  isMissized,
  yieldsToOthers,
  exitQuantity,
  restsWhole,
  type WatchContext
} from "./exitSizes.ts"
import { isPutOff, isStop, lotsOf, restOfExit } from "./ownStops.ts"
import { passRefusals } from "./refusedStops.ts"
import {
  type BookLot,
  type BookOrder,
  isOrderOver,
  lastPriceOf,
  type VenueBook
} from "./venueBook.ts"
import { type ExitsContext, locksQuantity, type WantedExit } from "./wantedExits.ts"

/** The next step for an exit that may be watched. */
export interface WatchStep {
  /** To rest at the venue, to be sent at the market, or to be taken back and watched. */
  readonly type: "rest" | "leave" | "take_back"
  readonly exit: WantedExit
}

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

/** The next step of an exit at rest, or of one that has gone to the market. */
const stepAtVenue = (
  book: VenueBook,
  order: BookOrder,
  context: WatchContext,
  isBound: boolean
): WatchStep["type"] | null => {
  if (order.type === "market" || restsWhole(book, order, context)) return null
  // Where exits may overlap, this one rests beside the stop until another bot holds the market.
  const isInTheWay = isBound && yieldsToOthers(book, order, context)
  const isSized = isStop(order) || !locksQuantity(context.capabilities)
  return isInTheWay || (isSized && isMissized(book, order, context)) ? "take_back" : null
}

/** Whether other exits keep an exit from resting. */
const isBoundBy = (
  book: VenueBook,
  order: BookOrder,
  context: WatchContext,
  lots: ReadonlyArray<BookLot>
): boolean => {
  // A stop has the whole quantity of its lot, and so has a target where no stop bounds the loss.
  const hasLevel = lots.some(
    ({ protection }) => (protection?.stop ?? (isStop(order) ? null : protection?.target)) != null
  )
  if (hasLevel) return true
  if (!isStop(order)) return isCrowded(book, order)
  const locks = locksQuantity(context.capabilities)
  return isLessThanStep(book, order) || (locks && isTargetPassed(book, order, context))
}

/** The next step of a watched exit. */
const stepWatched = (
  book: VenueBook,
  order: BookOrder,
  context: WatchContext,
  { isBound, isOverdue }: { readonly isBound: boolean; readonly isOverdue: boolean }
): WatchStep["type"] | null => {
  // An attempt that is being taken back may fill still, and so sell a part of the rest.
  if ((order.watch!.awaited ?? []).length > 0) return null
  if (isPutOff(book, order) && !isOverdue) return null
  const isFree = !isBound || !yieldsToOthers(book, order, context)
  // An exchange refuses a stop that the price has passed. A stop limit is a limit from then on.
  const isReachedNow = (isStop(order) || !isFree) && isReached(book, order, context)
  const isLimit = isFree && isStop(order) && order.watch!.limitPrice !== null
  if ((isReachedNow && !isLimit) || isOverdue) {
    return isRoomFor(book, order, context) ? "leave" : null
  }
  const { isTriggered = false } = order.watch!
  const isLocal = isStop(order) && !isTriggered && !context.capabilities.hasStops
  if (!isFree || isLocal) return null
  const mayBeCut = isStop(order) && !restsWhole(book, order, context)
  return !mayBeCut || canRest(book, order, context) ? "rest" : null
}

const stepOf = (
  book: VenueBook,
  order: BookOrder,
  context: WatchContext,
  isOverdue: boolean
): WatchStep["type"] | null => {
  const lots = lotsOf(book, order)
  if (lots.length === 0) return null
  const isBound = isBoundBy(book, order, context, lots)
  if (order.watch!.isOn) return stepWatched(book, order, context, { isBound, isOverdue })
  return stepAtVenue(book, order, context, isBound)
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

/** Exits that leave at the market, and markets in which nothing is sent. */
interface WatchLimits {
  readonly overdue: ReadonlySet<BookOrder>
  readonly unsellable: ReadonlySet<number>
}

/** The next step of one exit, noted in the books. */
const watchExit = (
  book: VenueBook,
  [id, order]: readonly [id: string, order: BookOrder],
  context: WatchContext,
  { overdue, unsellable }: WatchLimits
): ReadonlyArray<WatchStep> => {
  if (order.watch === undefined || isOrderOver(book, order)) return []
  const type = stepOf(book, order, context, overdue.has(order))
  if (type === null) return []
  const asked = restOfExit(order)
  const quantity = type === "take_back" ? asked : exitQuantity(book, order, context, type)
  const isSent = type !== "take_back"
  if (isSent && (unsellable.has(order.market) || !BigDecimal.isPositive(quantity))) return []
  const unsent = BigDecimal.subtract(asked, quantity)
  const isCut = BigDecimal.isGreaterThan(unsent, decimalOfNumber(book.specs[order.market]!.lot))
  order.watch.isOn = !isSent
  if (isSent) {
    delete order.watch.refusedIndex
    delete order.watch.askAgainMs
  }
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
  const limits = { overdue: passRefusals(book, context), unsellable }
  for (;;) {
    const more = Object.entries(book.orders).flatMap((one) => watchExit(book, one, context, limits))
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
