/**
 * Books payments in coins besides the quote currency: at their worth, or as owed until there is a
 * price.
 *
 * A price is a fact that is stored once for each coin. So cash is the same in any order of fees and
 * prices, and however often they come.
 *
 * @since 0.1.0
 */
import { BigDecimal } from "effect"
import { decimalOfUnsafe, decimalText, numberOf } from "../../../domain/decimals.ts"
import type { PriceFact } from "../../../domain/VenueAccount.ts"
import type { OwedFee } from "../../bots/BotBooks.ts"
import type { VenueBook } from "./venueBook.ts"

type Amount = BigDecimal.BigDecimal

/** The price of a coin that was noted for the books; null before one was. */
export const reportedPrice = ({ feePrices }: VenueBook, coin: string): Amount | null => {
  const told = feePrices?.[coin]
  return told === undefined ? null : decimalOfUnsafe(told)
}

/** Notes a fee without a worth; one below zero is to be received. */
export const oweFee = (book: VenueBook, coin: string, amount: Amount): void => {
  const { [coin]: before = "0", ...others } = book.unpricedFees
  const sum = decimalText(BigDecimal.sum(decimalOfUnsafe(before), amount))
  book.unpricedFees = sum === "0" ? others : { ...others, [coin]: sum }
}

/** Books the first price of a coin; null where nothing waited for it. */
export const bookPrice = (
  book: VenueBook,
  { currency: coin, price }: PriceFact
): OwedFee | null => {
  if (reportedPrice(book, coin) !== null) return null
  book.feePrices = { ...book.feePrices, [coin]: price }
  const { [coin]: amount, ...others } = book.unpricedFees
  if (amount === undefined) return null
  book.unpricedFees = others
  const worth = BigDecimal.multiply(decimalOfUnsafe(amount), decimalOfUnsafe(price))
  book.cash = decimalText(BigDecimal.subtract(decimalOfUnsafe(book.cash), worth))
  book.toldCash = decimalText(BigDecimal.subtract(decimalOfUnsafe(book.toldCash), worth))
  return { coin, amount, worth: numberOf(worth) }
}

/** The fees without a worth that have changed since these were owed, besides those with a price. */
export const newlyOwed = (
  book: VenueBook,
  before: Readonly<Record<string, string>>
): ReadonlyArray<OwedFee> => {
  const { unpricedFees: now } = book
  return Object.keys({ ...before, ...now }).flatMap((coin) =>
    now[coin] === before[coin] || reportedPrice(book, coin) !== null
      ? []
      : [{ coin, amount: now[coin] ?? "0", worth: null }]
  )
}
