/**
 * The stop orders that the code of a bot has placed itself, beside the stops of its lots.
 *
 * A stop order bounds a loss, at whichever price it leaves. A stop limit never leaves beyond its
 * limit, so it bounds none.
 *
 * @since 0.1.0
 */
import { BigDecimal } from "effect"
import { decimalOfUnsafe } from "../../../domain/decimals.ts"
import {
  type BookLot,
  type BookOrder,
  isOrderOver,
  keptApart,
  type VenueBook
} from "./venueBook.ts"

/** An order of a bot under its client order id. */
export type NamedOrder = readonly [clientOrderId: string, order: BookOrder]

/** The part of an order that has not filled. */
export const restOfExit = ({ filled, quantity }: BookOrder): BigDecimal.BigDecimal =>
  BigDecimal.subtract(decimalOfUnsafe(quantity), decimalOfUnsafe(filled))

/** Whether an exit waits for the price of a stop. */
export const isStop = ({ watch }: BookOrder): boolean => watch?.stopPrice != null

/** Whether an exit bounds a loss. */
export const isBounding = (order: BookOrder): boolean =>
  isStop(order) && order.watch?.limitPrice === null

/** Whether an exit waits after its venue has refused it, so that others rest in its place. */
export const isPutOff = (book: VenueBook, { market, watch }: BookOrder): boolean =>
  watch?.isOn === true && watch.refusedIndex === book.markets[market]!.index

/** The lots that an exit may close. */
export const lotsOf = (book: VenueBook, { lot, market }: BookOrder): ReadonlyArray<BookLot> => {
  const { lots } = book.markets[market]!
  return keptApart(book, market, lot) === null ? lots : lots.filter(({ id }) => id === lot)
}

/** The stops of a bot's code that bound a loss, and are not over, in a market. */
export const ownStops = (book: VenueBook, market: number): ReadonlyArray<NamedOrder> =>
  Object.entries(book.orders).filter(
    ([, order]) =>
      order.market === market &&
      !order.isProtective &&
      order.leg !== "entry" &&
      isBounding(order) &&
      !isOrderOver(book, order)
  )
