/**
 * Books funding of a bot: cash moves, and so do the bot's own books.
 *
 * @since 0.1.0
 */
import { BigDecimal } from "effect"
import type { FundingPayment } from "@candlewick/engine/kernel"
import { coinsOf } from "../../../domain/AccountBook.ts"
import { decimalOfUnsafe, decimalText, numberOf } from "../../../domain/decimals.ts"
import type { FundingFact } from "../../../domain/VenueAccount.ts"
import { oweFee, reportedPrice } from "./bookPrice.ts"
import type { VenueBook } from "./venueBook.ts"

const plus = (text: string, amount: BigDecimal.BigDecimal): string =>
  decimalText(BigDecimal.sum(decimalOfUnsafe(text), amount))

/** The worth of one of the currency of a payment; null where no price of it is known. */
const rateOf = (
  book: VenueBook,
  { currency, currency_price, symbol }: FundingFact
): BigDecimal.BigDecimal | null => {
  if (currency_price !== undefined) return decimalOfUnsafe(currency_price)
  const [, quote] = coinsOf(symbol)
  return currency === quote ? BigDecimal.fromBigInt(1n) : reportedPrice(book, currency)
}

/** Books a payment; null where it is in a coin that no price is known of, which is noted. */
export const bookPayment = (book: VenueBook, payment: FundingFact): FundingPayment | null => {
  const { amount, currency, symbol, time_ms } = payment
  const market = book.symbols.indexOf(symbol)
  if (market < 0) return null
  const got = decimalOfUnsafe(amount)
  const rate = rateOf(book, payment)
  if (rate === null) {
    oweFee(book, currency, BigDecimal.negate(got))
    return null
  }
  const worth = BigDecimal.multiply(got, rate)
  book.cash = plus(book.cash, worth)
  book.toldCash = plus(book.toldCash, worth)
  return { market, time: time_ms, amount: -numberOf(worth) }
}
