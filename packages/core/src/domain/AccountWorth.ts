/**
 * The worth of the parts of an exchange account that bots own.
 *
 * @since 0.1.0
 */
import { type AccountBook, amountSumsOf, netOf } from "./AccountBook.ts"
import { decimalOfUnsafe, numberOf } from "./decimals.ts"

/** A worth in a quote currency. @category models @since 0.1.0 */
export interface Worth {
  readonly amount: number
  /** Coins and positions that no price is known of; the amount leaves them out. */
  readonly unpriced: ReadonlyArray<string>
  /** Coins of which bots own less than nothing, as fees took them; left out for want of a price. */
  readonly owed: ReadonlyArray<string>
}

/**
 * The worth of bots in one quote currency: all bots of it, or one.
 *
 * @category models
 * @since 0.1.0
 */
export const worthOf = (
  book: AccountBook,
  quote: string,
  /** The last price of a coin in the quote currency, or of a market; null where none is known. */
  priceOf: (name: string) => number | null,
  botId?: string
): Worth => {
  const ids = Object.keys(book.bots).filter(
    (id) => book.bots[id]!.quote === quote && (botId === undefined || botId === id)
  )
  const coins = amountSumsOf(ids.map((id) => netOf(book, id)))
  const positions = amountSumsOf(ids.map((id) => book.bots[id]!.positions))
  let amount = 0
  const [unpriced, owed]: [Array<string>, Array<string>] = [[], []]
  for (const held of [coins, positions]) {
    for (const [name, units] of held) {
      const price = name === quote ? 1 : priceOf(name)
      if (price !== null) amount += numberOf(decimalOfUnsafe(units)) * price
      else if (held === coins && units.startsWith("-")) owed.push(name)
      else unpriced.push(name)
    }
  }
  return { amount, unpriced, owed }
}
