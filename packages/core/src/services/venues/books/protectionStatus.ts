/**
 * Where the stops of a bot's lots are, as its venue has confirmed them.
 *
 * @since 0.1.0
 */
import { BigDecimal } from "effect"
import { decimalOfNumber, decimalOfUnsafe, floorDecimalToStep } from "../../../domain/decimals.ts"
import type { ProtectionPlace } from "../../../domain/OpenPosition.ts"
import type { OrderAttempt } from "../../../domain/VenueAccount.ts"
import { type NamedOrder, ownStops, restOfExit } from "./ownStops.ts"
import { type BookLot, keptApart, type VenueBook } from "./venueBook.ts"

const nothing = BigDecimal.fromBigInt(0n)

/** The client order id of the stop of a lot. */
export const stopIdOf = ({ id }: Pick<BookLot, "id">): string => `${id}:stop`

/** The client order id of the target of a lot. */
export const targetIdOf = ({ id }: Pick<BookLot, "id">): string => `${id}:target`

/** The part of an attempt that is yet to fill. */
export const restOfAttempt = ({ filled_quantity, order }: OrderAttempt): BigDecimal.BigDecimal =>
  BigDecimal.subtract(decimalOfUnsafe(order.quantity), decimalOfUnsafe(filled_quantity))

/** Whether the venue itself ended an order that it had, before any of it filled. */
export const isEndedThere = (attempt: OrderAttempt): boolean =>
  attempt.state === "over" &&
  attempt.sent_at_ms !== null &&
  !attempt.is_cancel_wanted &&
  BigDecimal.isZero(decimalOfUnsafe(attempt.filled_quantity))

/**
 * The quantity for which the venue has confirmed orders of an id, at any price. An exit at the
 * market is no stop: a lot that leaves goes on to leave while it is filled. An order that is taken
 * back is none either: a venue that does not answer may have ended it already.
 */
export const restingAtVenue = (
  clientOrderId: string,
  attempts: ReadonlyArray<OrderAttempt>
): BigDecimal.BigDecimal => {
  const resting = attempts.filter(
    ({ client_order_id: id, is_cancel_wanted: isTakenBack, order, state }) =>
      id === clientOrderId && state === "working" && !isTakenBack && order.type !== "market"
  )
  return BigDecimal.sumAll(resting.map(restOfAttempt))
}

/** Where the lot's stop is that the books ask for; `attempts` are the attempts of the stop. */
export const protectionOfLot = (
  lot: BookLot,
  step: BigDecimal.BigDecimal,
  attempts: ReadonlyArray<OrderAttempt>
): ProtectionPlace => {
  if ((lot.protection?.stop ?? null) === null) return "none"
  const size = floorDecimalToStep(BigDecimal.abs(decimalOfUnsafe(lot.quantity)), step)
  const resting = restingAtVenue(stopIdOf(lot), attempts)
  return BigDecimal.isGreaterThanOrEqualTo(resting, size) ? "venue" : "local"
}

/** The least that several have; null for none. */
export const leastOf = (found: ReadonlyArray<ProtectionPlace>): ProtectionPlace | null =>
  found.length === 0
    ? null
    : (["none", "local", "venue"] as const).find((status) => found.includes(status))!

/** The quantities that stops of code are to close, and of these the one that rests at the venue. */
interface StopCover {
  readonly asked: BigDecimal.BigDecimal
  readonly resting: BigDecimal.BigDecimal
}

const coverOf = (
  stops: ReadonlyArray<NamedOrder>,
  attempts: ReadonlyArray<OrderAttempt>
): StopCover => ({
  asked: BigDecimal.sumAll(stops.map(([, order]) => restOfExit(order))),
  resting: BigDecimal.sumAll(stops.map(([id]) => restingAtVenue(id, attempts)))
})

/** Where stops of code are that are to close a quantity: all of it, or they count for nothing. */
const placeOf = ({ asked, resting }: StopCover, size: BigDecimal.BigDecimal): ProtectionPlace => {
  if (BigDecimal.isGreaterThanOrEqualTo(resting, size)) return "venue"
  return BigDecimal.isGreaterThanOrEqualTo(asked, size) ? "local" : "none"
}

/** The part of a position that has no stop of its own, and where stops of code for it are. */
const protectionByCode = (
  book: VenueBook,
  market: number,
  lots: ReadonlyArray<BookLot>,
  attempts: ReadonlyArray<OrderAttempt>
): ReadonlyArray<ProtectionPlace> => {
  const step = decimalOfNumber(book.specs[market]!.lot)
  const stops = ownStops(book, market)
  const isOfAny = ([, { lot }]: NamedOrder): boolean => keptApart(book, market, lot) === null
  const ofAny = coverOf(stops.filter(isOfAny), attempts)
  const places: Array<ProtectionPlace> = []
  let { asked, resting } = ofAny
  for (const { id, quantity } of lots) {
    const size = floorDecimalToStep(BigDecimal.abs(decimalOfUnsafe(quantity)), step)
    const named = stops.filter((one) => !isOfAny(one) && one[1].lot === id)
    const own = coverOf(named, attempts)
    const whole = {
      asked: BigDecimal.sum(own.asked, asked),
      resting: BigDecimal.sum(own.resting, resting)
    }
    places.push(placeOf(whole, size))
    asked = BigDecimal.max(nothing, BigDecimal.min(asked, BigDecimal.subtract(whole.asked, size)))
    resting = BigDecimal.max(
      nothing,
      BigDecimal.min(resting, BigDecimal.subtract(whole.resting, size))
    )
  }
  return places
}

/**
 * Where the stops of each position of a bot are, by market: that of the lot that has least. Null
 * where nothing is held. `attempts` are the attempts of the lots' stops, and of stops of its code.
 */
export const protectionIn = (
  book: VenueBook,
  attempts: ReadonlyArray<OrderAttempt>
): ReadonlyArray<ProtectionPlace | null> =>
  book.markets.map(({ lots }, market) => {
    const step = decimalOfNumber(book.specs[market]!.lot)
    const hasStop = ({ protection }: BookLot): boolean => (protection?.stop ?? null) !== null
    const places = lots.filter(hasStop).map((lot) => protectionOfLot(lot, step, attempts))
    const others = lots.filter((lot) => !hasStop(lot))
    return leastOf([...places, ...protectionByCode(book, market, others, attempts)])
  })

/** Where the stops of all that a bot holds are; null where it holds nothing. */
export const protectionOf = (
  book: VenueBook,
  attempts: ReadonlyArray<OrderAttempt>
): ProtectionPlace | null =>
  leastOf(protectionIn(book, attempts).filter((status) => status !== null))
