/**
 * The coins in which an exchange takes the fees of markets that trade other coins.
 *
 * An exchange takes such a fee from any of that coin in the account, whose bot's it may be. Bots
 * therefore enter nothing while the coins that no bot owns would not pay for the fees to come.
 * Without a bot that owns the coin, or is about to, nothing is held back.
 *
 * @since 0.1.0
 */
import { claimsOn, coinsOf, ownedBy, owedBy } from "../../../domain/AccountBook.ts"
import type { OrderAttempt } from "../../../domain/VenueAccount.ts"
import { isEntry } from "../../orderLegs.ts"
import {
  type BoundedAccount,
  type BoundsMemory,
  coinPriceOf,
  feeRateOf,
  mayBeLive,
  quoteOf,
  restNotional
} from "./accountBounds.ts"

/** The account, and its coins that no bot owned when it was compared last. */
export interface FeePayingAccount extends BoundedAccount {
  readonly outsideOf: (coin: string) => number
}

/** The coins of fees that trades of the account have shown, or that the venue names. */
const feeCoinsOf = ({ fee_coins = {} }: BoundsMemory, { terms }: OrderAttempt) =>
  new Set([...Object.values(fee_coins), ...(terms?.fee_coin === undefined ? [] : [terms.fee_coin])])

/** The amount of a coin that no bot owns. Fees that were taken since the comparison are off it. */
const freeOf = ({ book, outsideOf }: FeePayingAccount, coin: string): number =>
  Object.keys(book.bots).reduce(
    (free, id) => free - Number(owedBy(book, id)[coin] ?? "0"),
    outsideOf(coin)
  )

/** The worth of the coins that bots are to sell, in a coin that takes their fees. */
const toSell = ({ book, memory }: FeePayingAccount, coin: string): number => {
  let sum = 0
  for (const [id, { quote }] of Object.entries(book.bots)) {
    const one = coinPriceOf(memory, coin, quote)
    if (one === null) continue
    for (const [name, units] of Object.entries(ownedBy(book, id))) {
      if (name === quote || name === coin || units.startsWith("-")) continue
      sum += (Number(units) * (coinPriceOf(memory, name, quote) ?? 0)) / one
    }
  }
  return sum
}

/** The fees to come in a coin: of entries, and of the sale of all that is held and bought. */
const feesToCome = (entry: OrderAttempt, account: FeePayingAccount, coin: string): number => {
  const { memory, open } = account
  const { symbol } = entry.order
  const live = open.filter((one) => one.id !== entry.id && isEntry(one) && mayBeLive(one))
  const toBuy = [entry, ...live].reduce((sum, one) => {
    const price = coinPriceOf(memory, coin, quoteOf(one.order.symbol))
    const isOwn = coinsOf(one.order.symbol).includes(coin)
    return isOwn || price === null ? sum : sum + restNotional(one) / price
  }, 0)
  const rate = Math.max(feeRateOf(memory, symbol, entry.bot_id), entry.terms?.fee_rate ?? 0)
  // Every entry is followed by an exit, one day.
  return rate * (2 * toBuy + toSell(account, coin))
}

/** Whether bots own so much of a coin that an order could sell it, or are about to buy some. */
const isAtStake = (entry: OrderAttempt, account: FeePayingAccount, coin: string): boolean => {
  const { book, memory, open } = account
  const buys = ({ order: { symbol } }: OrderAttempt) => coinsOf(symbol)[0] === coin
  if (buys(entry) || open.some((one) => isEntry(one) && mayBeLive(one) && buys(one))) return true
  const owned = Number(claimsOn(book, coin))
  const price = coinPriceOf(memory, coin, quoteOf(entry.order.symbol))
  const least = Number(entry.terms?.min_notional ?? "0")
  return owned > 0 && (price === null || owned * price >= least)
}

/** The coin whose fees would be taken from bots that own it, as a sentence; null for none. */
export const brokenFeeCoin = (entry: OrderAttempt, account: FeePayingAccount): string | null => {
  const [, quote] = coinsOf(entry.order.symbol)
  for (const coin of feeCoinsOf(account.memory, entry)) {
    // Fees in the quote currency come out of the bot's own money.
    if (coin === quote || !isAtStake(entry, account, coin)) continue
    const [free, needed] = [freeOf(account, coin), feesToCome(entry, account, coin)]
    if (needed > 0 && free < needed) {
      return `fee_coin: fees may take ${needed} ${coin}, of which ${free} belongs to no bot`
    }
  }
  return null
}
