/**
 * Where the stops of a bot's lots are, as its venue has confirmed them.
 *
 * @since 0.1.0
 */
import { BigDecimal } from "effect"
import {
  decimalOfNumber,
  decimalOfUnsafe,
  decimalText,
  floorDecimalToStep
} from "../../../domain/decimals.ts"
import type { ProtectionPlace } from "../../../domain/OpenPosition.ts"
import type { OrderAttempt } from "../../../domain/VenueAccount.ts"
import type { BookLot, VenueBook } from "./venueBook.ts"

/** The client order id of the stop of a lot. */
export const stopIdOf = ({ id }: Pick<BookLot, "id">): string => `${id}:stop`

/**
 * Whether the venue has confirmed orders of an id for so much, at any price. An exit at the market
 * is no stop: a lot that leaves goes on to leave while it is filled.
 */
export const restsAtVenue = (
  clientOrderId: string,
  quantity: string,
  attempts: ReadonlyArray<OrderAttempt>
): boolean => {
  const resting = attempts.filter(
    ({ client_order_id: id, order, state }) =>
      id === clientOrderId && state === "working" && order.type !== "market"
  )
  const sum = BigDecimal.sumAll(
    resting.map(({ filled_quantity, order }) =>
      BigDecimal.subtract(decimalOfUnsafe(order.quantity), decimalOfUnsafe(filled_quantity))
    )
  )
  return BigDecimal.isGreaterThanOrEqualTo(sum, decimalOfUnsafe(quantity))
}

/** Where the stop of a lot is; `attempts` are the attempts of the stop. */
export const protectionOfLot = (
  lot: BookLot,
  step: BigDecimal.BigDecimal,
  attempts: ReadonlyArray<OrderAttempt>
): ProtectionPlace => {
  if ((lot.protection?.stop ?? null) === null) return "none"
  const size = floorDecimalToStep(BigDecimal.abs(decimalOfUnsafe(lot.quantity)), step)
  return restsAtVenue(stopIdOf(lot), decimalText(size), attempts) ? "venue" : "local"
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
