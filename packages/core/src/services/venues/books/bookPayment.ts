/**
 * Books funding of a bot: cash moves, and whoever keeps the bot's own books is told.
 *
 * @since 0.1.0
 */
import { BigDecimal } from "effect"
import type { FundingPayment } from "@candlewick/engine/kernel"
import { coinsOf } from "../../../domain/AccountBook.ts"
import {
  decimalOfNumber,
  decimalOfUnsafe,
  decimalText,
  numberOf
} from "../../../domain/decimals.ts"
import type { FundingFact } from "../../../domain/VenueAccount.ts"
import type { PriceOf } from "./bookTrade.ts"
import type { VenueBook } from "./venueBook.ts"

const plus = (text: string, amount: BigDecimal.BigDecimal): string =>
  decimalText(BigDecimal.sum(decimalOfUnsafe(text), amount))

/** Books a payment; null where it is in a coin that no price is known of, which is noted. */
export const bookPayment = (
  book: VenueBook,
  { amount, currency, symbol, time_ms }: FundingFact,
  priceOf: PriceOf
): FundingPayment | null => {
  const market = book.symbols.indexOf(symbol)
  if (market < 0) return null
  const [, quote] = coinsOf(symbol)
  const got = decimalOfUnsafe(amount)
  const rate = currency === quote ? 1 : priceOf(currency)
  if (rate === null) {
    const unpriced = book.unpricedFees
    unpriced[currency] = plus(unpriced[currency] ?? "0", BigDecimal.negate(got))
    return null
  }
  const worth = BigDecimal.multiply(got, decimalOfNumber(rate))
  book.cash = plus(book.cash, worth)
  book.toldCash = plus(book.toldCash, worth)
  return { market, time: time_ms, amount: -numberOf(worth) }
}
