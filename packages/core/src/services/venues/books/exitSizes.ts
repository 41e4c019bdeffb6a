/**
 * The quantities of a bot's own exits at a price, beside each other.
 *
 * An exit closes no more than its position, or than the lot that it names. Where a resting order
 * locks its quantity, exits at the market and nearer stops come before a stop. One that its venue
 * has refused gives way to the others until it is asked for again.
 *
 * @since 0.1.0
 */
import { BigDecimal } from "effect"
import {
  decimalOfNumber,
  decimalOfUnsafe,
  floorDecimalToStep,
  numberOf
} from "../../../domain/decimals.ts"
import { isTooSmall, type SellingContext } from "./dustLots.ts"
import { isPutOff, isStop, restOfExit } from "./ownStops.ts"
import { type BookOrder, isOrderOver, keptApart, type VenueBook } from "./venueBook.ts"
import {
  askedThere,
  type ExitsContext,
  heldThere,
  locksQuantity,
  restsOfLots
} from "./wantedExits.ts"

/** The facts that decide where exits rest, with the terms of their markets. */
export type WatchContext = ExitsContext &
  Pick<SellingContext, "markets"> & {
    /** The store's time; without it an exit that was refused waits for the next close. */
    readonly nowMs?: number | undefined
    /** How long a position may lack its stop; a minute by default. */
    readonly unprotectedMaxMs?: number | undefined
  }

const nothing = BigDecimal.fromBigInt(0n)

/** Doubles may miss a whole number of steps by so much, as a part of the quantity. */
const withRounding = decimalOfUnsafe("1.0000000001")

/**
 * Whether an exit is cut by others of its position: where a resting order locks its quantity, and a
 * stop of one lot also where it might reduce another.
 */
export const yieldsToOthers = (
  book: VenueBook,
  order: BookOrder,
  { capabilities }: ExitsContext
): boolean => {
  const { lot, market } = order
  const isApart = keptApart(book, market, lot) !== null && book.markets[market]!.lots.length > 1
  return locksQuantity(capabilities) || (isApart && isStop(order))
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
export const isRoomFor = (book: VenueBook, order: BookOrder, context: ExitsContext): boolean => {
  const held = heldFor(book, order)
  if (!BigDecimal.isPositive(held)) return false
  const asked = BigDecimal.min(restOfExit(order), held)
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
  // A stop bounds a loss. A stop limit may not, and an exit that takes a profit does not.
  const rankOf = ({ type, watch }: BookOrder): number => {
    if (type === "market" || watch === undefined) return 0
    if (watch.stopPrice === null) return 3
    return watch.limitPrice === null ? 1 : 2
  }
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
export const isCrowded = (book: VenueBook, order: BookOrder): boolean => {
  const asked = BigDecimal.sumAll(exitsLike(book, order).map(restOfExit))
  const step = decimalOfNumber(book.specs[order.market]!.lot)
  const beyond = BigDecimal.subtract(asked, heldFor(book, order))
  return BigDecimal.isGreaterThanOrEqualTo(beyond, step)
}

/** The held quantity that the exits before a stop leave to it; it may be negative. */
const leftFor = (book: VenueBook, order: BookOrder): BigDecimal.BigDecimal => {
  const exits = exitsLike(book, order)
  const before = exits.slice(0, exits.indexOf(order)).filter((one) => !isPutOff(book, one))
  return BigDecimal.subtract(heldFor(book, order), BigDecimal.sumAll(before.map(restOfExit)))
}

/**
 * Whether an exit rests for all that it asks for. Orders that only reduce close no more than the
 * position, and none of them knows lots that are kept apart.
 */
export const restsWhole = (
  book: VenueBook,
  { lot, market }: BookOrder,
  { capabilities }: ExitsContext
): boolean => !locksQuantity(capabilities) && keptApart(book, market, lot) === null

/** The quantity of a watched exit in whole steps. Fees in the coin may have left less. */
export const exitQuantity = (
  book: VenueBook,
  order: BookOrder,
  context: ExitsContext,
  type: "rest" | "leave"
): BigDecimal.BigDecimal => {
  const step = decimalOfNumber(book.specs[order.market]!.lot)
  const asked = floorDecimalToStep(BigDecimal.multiply(restOfExit(order), withRounding), step)
  if (type === "rest" && restsWhole(book, order, context)) return asked
  const free = floorDecimalToStep(freeFor(book, order, context, type), step)
  const sendable = BigDecimal.min(asked, free)
  if (type === "leave" || !isStop(order) || !yieldsToOthers(book, order, context)) return sendable
  const left = BigDecimal.multiply(leftFor(book, order), withRounding)
  return BigDecimal.min(sendable, floorDecimalToStep(left, step))
}

/** Whether an exit rests for more than is left for it, or for less than it may have. */
export const isMissized = (book: VenueBook, order: BookOrder, context: ExitsContext): boolean => {
  const resting = askedThere(order)
  const step = decimalOfNumber(book.specs[order.market]!.lot)
  const left = yieldsToOthers(book, order, context)
    ? leftFor(book, order)
    : freeFor(book, order, context, "rest")
  if (BigDecimal.isGreaterThan(resting, BigDecimal.multiply(left, withRounding))) return true
  const short = BigDecimal.subtract(exitQuantity(book, order, context, "rest"), resting)
  return BigDecimal.isGreaterThanOrEqualTo(short, step)
}

/**
 * Whether a stop can rest for a part of its quantity. It waits for exits after it that are to make
 * room, and is watched where its venue would refuse the part.
 */
export const canRest = (book: VenueBook, order: BookOrder, context: WatchContext): boolean => {
  const { limitPrice, stopPrice } = order.watch!
  const step = decimalOfNumber(book.specs[order.market]!.lot)
  const quantity = exitQuantity(book, order, context, "rest")
  const left = BigDecimal.min(restOfExit(order), leftFor(book, order))
  const missing = BigDecimal.subtract(floorDecimalToStep(left, step), quantity)
  if (BigDecimal.isGreaterThan(missing, step)) return false
  const price = numberOf(decimalOfUnsafe(limitPrice ?? stopPrice!))
  return !isTooSmall(book, order.market, quantity, { ...context, priceOf: () => price })
}

/** Whether the exits before a stop leave it less than a step. */
export const isLessThanStep = (book: VenueBook, order: BookOrder): boolean =>
  BigDecimal.isLessThan(leftFor(book, order), decimalOfNumber(book.specs[order.market]!.lot))

/**
 * Whether stops before one close all that it may. `restingOf` is the quantity of a stop that its
 * venue has confirmed.
 */
export const isCovered = (
  book: VenueBook,
  order: BookOrder,
  restingOf: (stop: BookOrder) => BigDecimal.BigDecimal
): boolean => {
  const exits = exitsLike(book, order)
  const before = BigDecimal.sumAll(exits.slice(0, exits.indexOf(order)).map(restingOf))
  const bare = BigDecimal.subtract(heldFor(book, order), before)
  const step = decimalOfNumber(book.specs[order.market]!.lot)
  return BigDecimal.isPositive(before) && BigDecimal.isLessThan(bare, step)
}
