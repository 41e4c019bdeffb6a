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

/** The entries that the venue has, or may have, and the one that is judged. */
const entriesWith = (
  entry: OrderAttempt,
  { open }: FeePayingAccount
): ReadonlyArray<OrderAttempt> => [
  entry,
  ...open.filter((one) => one.id !== entry.id && isEntry(one) && mayBeLive(one))
]

const baseOf = ({ order: { symbol } }: OrderAttempt): string => coinsOf(symbol)[0]

/** The bots that own a coin as an asset, or are about to buy it. */
const holdersOf = (
  entries: ReadonlyArray<OrderAttempt>,
  { book }: FeePayingAccount,
  coin: string
): ReadonlySet<string> =>
  new Set([
    ...Object.keys(book.bots).filter((id) => Number(ownedBy(book, id)[coin] ?? "0") > 0),
    ...entries.filter((one) => baseOf(one) === coin).map(({ bot_id: botId }) => botId)
  ])

/** The worth of the coins that bots are to sell, in a coin that takes their fees. */
const toSell = ({ book, memory }: FeePayingAccount, coin: string, isShared: boolean): number => {
  let sum = 0
  for (const [id, { quote }] of Object.entries(book.bots)) {
    const one = coinPriceOf(memory, coin, quote)
    if (one === null) continue
    for (const [name, units] of Object.entries(ownedBy(book, id))) {
      if (name === quote || (name === coin && !isShared) || units.startsWith("-")) continue
      sum += (Number(units) * (coinPriceOf(memory, name, quote) ?? 0)) / one
    }
  }
  return sum
}

/**
 * How often the worth of an entry is traded with a fee in a coin of others. An entry in the coin
 * itself pays out of what it buys, and its sale out of what another bot holds, if one does.
 */
const tradedTimes = (entry: OrderAttempt, coin: string, isShared: boolean): number => {
  if (baseOf(entry) === coin) return isShared ? 1 : 0
  return quoteOf(entry.order.symbol) === coin ? 0 : 2
}

/** The fees to come in a coin: of entries, and of the sale of all that is held and bought. */
const feesToCome = (entry: OrderAttempt, account: FeePayingAccount, coin: string): number => {
  const { memory } = account
  const entries = entriesWith(entry, account)
  const isShared = holdersOf(entries, account, coin).size > 1
  const toTrade = entries.reduce((sum, one) => {
    const price = coinPriceOf(memory, coin, quoteOf(one.order.symbol))
    const worth = price === null ? 0 : restNotional(one) / price
    return sum + worth * tradedTimes(one, coin, isShared)
  }, 0)
  const rate = Math.max(
    feeRateOf(memory, entry.order.symbol, entry.bot_id),
    entry.terms?.fee_rate ?? 0
  )
  return rate * (toTrade + toSell(account, coin, isShared))
}

/** Whether bots own so much of a coin that an order could sell it, or are about to buy some. */
const isAtStake = (entry: OrderAttempt, account: FeePayingAccount, coin: string): boolean => {
  const { book, memory } = account
  if (entriesWith(entry, account).some((one) => baseOf(one) === coin)) return true
  const owned = Number(claimsOn(book, coin))
  const price = coinPriceOf(memory, coin, quoteOf(entry.order.symbol))
  const least = Number(entry.terms?.min_notional ?? "0")
  return owned > 0 && (price === null || owned * price >= least)
}

/** The coin whose fees would be taken from bots that own it, as a sentence; null for none. */
export const brokenFeeCoin = (entry: OrderAttempt, account: FeePayingAccount): string | null => {
  const quote = quoteOf(entry.order.symbol)
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
