/**
 * Where the stops of a bot's lots are, as its venue has confirmed them.
 *
 * @since 0.1.0
 */
import { BigDecimal } from "effect"
import { decimalOfNumber, decimalOfUnsafe, floorDecimalToStep } from "../../../domain/decimals.ts"
import type { ProtectionPlace } from "../../../domain/OpenPosition.ts"
import type { OrderAttempt } from "../../../domain/VenueAccount.ts"
import type { BookLot, VenueBook } from "./venueBook.ts"

/** The client order id of the stop of a lot. */
export const stopIdOf = ({ id }: Pick<BookLot, "id">): string => `${id}:stop`

/** The client order id of the target of a lot. */
export const targetIdOf = ({ id }: Pick<BookLot, "id">): string => `${id}:target`

/** The part of an attempt that is yet to fill. */
export const restOfAttempt = ({ filled_quantity, order }: OrderAttempt): BigDecimal.BigDecimal =>
  BigDecimal.subtract(decimalOfUnsafe(order.quantity), decimalOfUnsafe(filled_quantity))

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

/** Where the stop of a lot is; `attempts` are the attempts of the stop. */
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

/**
 * Where the stops of each position of a bot are, by market: that of the lot that has least. Null
 * where nothing is held. `attempts` are the attempts of the lots' stops.
 */
export const protectionIn = (
  { markets, specs }: Pick<VenueBook, "markets" | "specs">,
  attempts: ReadonlyArray<OrderAttempt>
): ReadonlyArray<ProtectionPlace | null> =>
  markets.map(({ lots }, market) => {
    const step = decimalOfNumber(specs[market]!.lot)
    return leastOf(lots.map((lot) => protectionOfLot(lot, step, attempts)))
  })

/** Where the stops of all that a bot holds are; null where it holds nothing. */
export const protectionOf = (
  book: VenueBook,
  attempts: ReadonlyArray<OrderAttempt>
): ProtectionPlace | null =>
  leastOf(protectionIn(book, attempts).filter((status) => status !== null))
