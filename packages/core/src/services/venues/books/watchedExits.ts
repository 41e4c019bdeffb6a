/**
 * Exits at a price that the bot watches itself, at venues where a resting order locks its coins.
 *
 * There an exit at rest, such as a ladder's target, would take its quantity from the stop. So the
 * stop has the whole quantity. The exit is watched here, and leaves at the market once the price
 * has reached it. It never leaves while an attempt of it that was taken back may fill. Decision
 * 0019 has the reasons.
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
import {
  type BookOrder,
  isOrderOver,
  keptApart,
  lastPriceOf,
  lotsQuantity,
  type VenueBook
} from "./venueBook.ts"
import {
  type ExitsContext,
  mayOverlap,
  type ProtectingCapabilities,
  restsOfLots,
  type WantedExit
} from "./wantedExits.ts"

/** Whether a resting exit takes its quantity from a stop, so that both can't rest. */
export const locksQuantity = ({
  canShareQuantity,
  ...capabilities
}: Pick<ProtectingCapabilities, "canShareQuantity" | "hasReduceOnly" | "reducesOthers">): boolean =>
  !canShareQuantity && !mayOverlap(capabilities)

/** The next step for an exit that may be watched. */
export interface WatchStep {
  /** To rest at the venue, to be sent at the market, or to be taken back and watched. */
  readonly type: "rest" | "leave" | "take_back"
  readonly exit: WantedExit
}

const restOf = ({ filled, quantity }: BookOrder): BigDecimal.BigDecimal =>
  BigDecimal.subtract(decimalOfUnsafe(quantity), decimalOfUnsafe(filled))

/** Doubles may miss a whole number of steps by so much, as a part of the quantity. */
const withRounding = decimalOfUnsafe("1.0000000001")

/** Whether the last known price has reached an exit. */
const isReached = (book: VenueBook, order: BookOrder, { priceOf }: ExitsContext): boolean => {
  const { limitPrice, stopPrice } = order.watch!
  const price = priceOf?.(book.symbols[order.market]!) ?? lastPriceOf(book.markets[order.market]!)
  if (price === null) return false
  if (stopPrice !== null) return passesStop(order.side, numberOf(decimalOfUnsafe(stopPrice)), price)
  if (limitPrice === null) return false
  return passesLimit(order.side, numberOf(decimalOfUnsafe(limitPrice)), price)
}

/**
 * Whether other exits that are on their way leave enough for this one: of the position, or of the
 * lot that it closes where lots are kept apart.
 */
const hasRoom = (book: VenueBook, order: BookOrder, { capabilities }: ExitsContext): boolean => {
  const { market } = order
  const rests = restsOfLots(book, market, capabilities)
  const lot = keptApart(book, market, order.lot)
  const held =
    lot === null
      ? BigDecimal.abs(lotsQuantity(book.markets[market]!))
      : decimalOfUnsafe(lot.quantity)
  const free =
    lot === null ? BigDecimal.sumAll(rests.values()) : (rests.get(lot.id) ?? decimalOfUnsafe("0"))
  if (!BigDecimal.isPositive(held)) return false
  return BigDecimal.isGreaterThanOrEqualTo(free, BigDecimal.min(restOf(order), held))
}

const stepOf = (
  book: VenueBook,
  order: BookOrder,
  context: ExitsContext
): WatchStep["type"] | null => {
  const { lots } = book.markets[order.market]!
  if (lots.length === 0) return null
  const hasStop = lots.some(({ protection }) => (protection?.stop ?? null) !== null)
  if (!order.watch!.isOn) {
    // Where exits may overlap, this one rests beside the stop until another bot holds the market.
    const isInTheWay = hasStop && order.type !== "market" && locksQuantity(context.capabilities)
    return isInTheWay ? "take_back" : null
  }
  // An attempt that is being taken back may fill still, and so sell a part of the rest.
  if ((order.watch!.awaited ?? []).length > 0) return null
  if (!hasStop) return "rest"
  return isReached(book, order, context) && hasRoom(book, order, context) ? "leave" : null
}

const toExit = (
  book: VenueBook,
  clientOrderId: string,
  order: BookOrder,
  { capabilities }: ExitsContext
): WantedExit => {
  const { exitReason, lot, market, side, type, watch } = order
  const isLeaving = type === "market"
  const step = decimalOfNumber(book.specs[market]!.lot)
  return {
    clientOrderId,
    lot: lot ?? clientOrderId,
    market,
    symbol: book.symbols[market]!,
    side: side === 1 ? "buy" : "sell",
    leg: "exit",
    exitReason,
    type,
    quantity: decimalText(
      floorDecimalToStep(BigDecimal.multiply(restOf(order), withRounding), step)
    ),
    stopPrice: isLeaving ? null : watch!.stopPrice,
    limitPrice: isLeaving ? null : watch!.limitPrice,
    isReduceOnly: capabilities.hasReduceOnly,
    isPassed: isLeaving
  }
}

/**
 * Decides which exits of a bot rest, are watched, or leave, and notes it in the books. A watched
 * exit goes on as the bot's order; an exit of a position without a stop rests like any other.
 */
export const watchExits = (book: VenueBook, context: ExitsContext): ReadonlyArray<WatchStep> =>
  Object.entries(book.orders).flatMap(([id, order]): ReadonlyArray<WatchStep> => {
    if (order.watch === undefined || isOrderOver(book, order)) return []
    const type = stepOf(book, order, context)
    if (type === null) return []
    order.watch.isOn = type === "take_back"
    if (type === "leave") order.type = "market"
    return [{ type, exit: toExit(book, id, order, context) }]
  })

/**
 * Ends a watched exit that its bot takes back, and says whether the books have changed. An exit at
 * the venue ends when the venue says so.
 */
export const unwatch = (book: VenueBook, clientOrderId: string): boolean => {
  const order = book.orders[clientOrderId]
  if (order?.watch === undefined) return false
  if (order.watch.isOn) {
    order.outcome = "cancelled"
    order.isEndTold = true
  }
  delete order.watch
  return true
}
