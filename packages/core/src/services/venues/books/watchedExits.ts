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

const nothing = BigDecimal.fromBigInt(0n)

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
  const canShareQuantity = type === "leave" || capabilities.canShareQuantity
  const rests = restsOfLots(book, order.market, { ...capabilities, canShareQuantity })
  const lot = keptApart(book, order.market, order.lot)
  return lot === null ? BigDecimal.sumAll(rests.values()) : (rests.get(lot.id) ?? nothing)
}

/** Whether other exits that are on their way leave enough for this one. */
const hasRoom = (book: VenueBook, order: BookOrder, context: ExitsContext): boolean => {
  const lot = keptApart(book, order.market, order.lot)
  const held =
    lot === null
      ? BigDecimal.abs(lotsQuantity(book.markets[order.market]!))
      : decimalOfUnsafe(lot.quantity)
  if (!BigDecimal.isPositive(held)) return false
  const asked = BigDecimal.min(restOf(order), held)
  return BigDecimal.isGreaterThanOrEqualTo(freeFor(book, order, context, "leave"), asked)
}

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
    type === "market" ? 0 : watch?.stopPrice != null ? 1 : 2
  return exits.toSorted((one, other) => rankOf(one) - rankOf(other))
}

/**
 * Whether an exit at a price has to be watched, because all exits of its market would together
 * close more than is held, by a step. Two that fill in one move would sell coins of others. A stop
 * rests nevertheless, if it fits beside the exits before it.
 */
const isCrowded = (book: VenueBook, order: BookOrder): boolean => {
  const held = BigDecimal.abs(lotsQuantity(book.markets[order.market]!))
  const step = decimalOfNumber(book.specs[order.market]!.lot)
  const fits = (exits: ReadonlyArray<BookOrder>): boolean => {
    const beyond = BigDecimal.subtract(BigDecimal.sumAll(exits.map(restOf)), held)
    return BigDecimal.isLessThan(beyond, step)
  }
  const all = exitsOf(book, order.market)
  if (fits(all)) return false
  return order.watch?.stopPrice == null || !fits(all.slice(0, all.indexOf(order) + 1))
}

const stepOf = (
  book: VenueBook,
  order: BookOrder,
  context: ExitsContext
): WatchStep["type"] | null => {
  const { lots } = book.markets[order.market]!
  if (lots.length === 0) return null
  // A stop has the whole quantity of its lot, and so has a target where no stop bounds the loss.
  const isStop = order.watch!.stopPrice !== null
  const hasLevel = lots.some(
    ({ protection }) => (protection?.stop ?? (isStop ? null : protection?.target)) != null
  )
  const isBound = hasLevel || isCrowded(book, order)
  if (!order.watch!.isOn) {
    // Where exits may overlap, this one rests beside the stop until another bot holds the market.
    const isInTheWay = isBound && order.type !== "market" && locksQuantity(context.capabilities)
    return isInTheWay ? "take_back" : null
  }
  // An attempt that is being taken back may fill still, and so sell a part of the rest.
  if ((order.watch!.awaited ?? []).length > 0) return null
  if (!isBound) return "rest"
  return isReached(book, order, context) && hasRoom(book, order, context) ? "leave" : null
}

/** The quantity of a watched exit in whole steps. Fees in the coin may have left less. */
const quantityOf = (
  book: VenueBook,
  order: BookOrder,
  context: ExitsContext,
  type: "rest" | "leave"
): BigDecimal.BigDecimal => {
  const step = decimalOfNumber(book.specs[order.market]!.lot)
  const asked = floorDecimalToStep(BigDecimal.multiply(restOf(order), withRounding), step)
  return BigDecimal.min(asked, floorDecimalToStep(freeFor(book, order, context, type), step))
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
  return {
    clientOrderId,
    lot: lot ?? clientOrderId,
    market,
    symbol: book.symbols[market]!,
    side: side === 1 ? "buy" : "sell",
    leg: "exit",
    exitReason,
    type,
    quantity,
    stopPrice: isLeaving ? null : watch!.stopPrice,
    limitPrice: isLeaving ? null : watch!.limitPrice,
    isReduceOnly: capabilities.hasReduceOnly,
    isPassed: isLeaving
  }
}

/** The next step of one exit, noted in the books. */
const watchExit = (
  book: VenueBook,
  [id, order]: readonly [id: string, order: BookOrder],
  context: ExitsContext,
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
  order.watch.unsent = isCut ? "0" : decimalText(unsent)
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
  context: ExitsContext,
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
  const { isOn, unsent = "0" } = order.watch
  if (isOn) {
    order.outcome = "cancelled"
    order.isEndTold = true
  }
  // The attempt at the venue asks for no more than this, and its last fill is the order's.
  const asked = BigDecimal.subtract(decimalOfUnsafe(order.quantity), decimalOfUnsafe(unsent))
  order.quantity = decimalText(asked)
  delete order.watch
  return true
}
