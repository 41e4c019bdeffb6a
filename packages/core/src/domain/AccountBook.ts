/**
 * The part of an exchange account that each bot owns, coin by coin and exactly.
 *
 * A bot gets an allocation of its quote currency, and owns from then on the result of its trades.
 * All else that the exchange holds is outside: the owner's, for bots to leave alone. Amounts are
 * decimal text, sums are exact, and the order of trades changes nothing.
 *
 * @since 0.1.0
 */
import { BigDecimal, Schema } from "effect"
import { decimalOfNumber, decimalOfUnsafe, decimalText } from "./decimals.ts"
import type { TradeFact } from "./VenueAccount.ts"

type Amount = BigDecimal.BigDecimal

const addText = (one: string, other: string): string =>
  decimalText(BigDecimal.sum(decimalOfUnsafe(one), decimalOfUnsafe(other)))

const Amounts = Schema.Record(Schema.String, Schema.String)

/** The part of an exchange account that one bot owns. */
const BotShare = Schema.Struct({
  /** The currency of the allocation. */
  quote: Schema.String,
  allocation: Schema.String,
  /** The sum of a coin's trades: the added amounts less the taken ones. */
  coins: Amounts,
  /** The same of each market where the exchange keeps positions instead of coins. */
  positions: Amounts,
  /** Fees that the exchange took in coins besides a trade's own; absent where it took none. */
  owed: Schema.optionalKey(Amounts),
  /** The part of them that has had a price, by coin, and their worth in quote currency then. */
  owed_priced: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Struct({ units: Schema.String, worth: Schema.String }))
  )
})

type BotShare = typeof BotShare.Type

/**
 * The part of an exchange account that each bot owns, by the bot's id. @category schemas @since
 * 0.1.0
 */
export const AccountBook = Schema.Struct({
  bots: Schema.Record(Schema.String, BotShare)
})

/** The part of an exchange account that each bot owns. @category models @since 0.1.0 */
export type AccountBook = typeof AccountBook.Type

/** An exchange account of which no bot owns anything. @category models @since 0.1.0 */
export const emptyAccountBook: AccountBook = { bots: {} }

/** A trade as far as an account book cares. @category models @since 0.1.0 */
export type BookedTrade = Pick<
  TradeFact,
  "symbol" | "side" | "quantity" | "price" | "fee_amount" | "fee_currency" | "fee_price"
>

/**
 * The form in which an exchange keeps a trade's result: coins, or a position for each market.
 *
 * @category models
 * @since 0.1.0
 */
export type Kind = "spot" | "one_way"

/** Base and quote currency of a market's symbol. @category models @since 0.1.0 */
export const coinsOf = (symbol: string): readonly [base: string, quote: string] => {
  const [base = symbol, quote = ""] = symbol.split(/[/:]/)
  return [base, quote]
}

const withShare = (book: AccountBook, botId: string, share: BotShare): AccountBook => ({
  ...book,
  bots: { ...book.bots, [botId]: share }
})

const plus = (
  amounts: Readonly<Record<string, string>>,
  name: string,
  amount: string
): Readonly<Record<string, string>> => {
  const sum = addText(amounts[name] ?? "0", amount)
  if (sum !== "0") return { ...amounts, [name]: sum }
  const { [name]: _, ...others } = amounts
  return others
}

const negated = (amount: string): string => decimalText(BigDecimal.negate(decimalOfUnsafe(amount)))

/**
 * Gives a bot an allocation, or changes it. The result of the bot's trades stays.
 *
 * @category models
 * @since 0.1.0
 */
export const allocate = (
  book: AccountBook,
  botId: string,
  quote: string,
  allocation: string
): AccountBook => {
  const share = book.bots[botId] ?? { coins: {}, positions: {} }
  return withShare(book, botId, { ...share, quote, allocation })
}

/** Gives up a bot's assets: from then on they are outside. @category models @since 0.1.0 */
export const release = (book: AccountBook, botId: string): AccountBook => {
  const { [botId]: _, ...bots } = book.bots
  return { ...book, bots }
}

/** The debts of a share after a fee in a coin that its trade did not move. */
const withDebt = (
  { owed = {}, owed_priced: priced = {} }: BotShare,
  { fee_amount: fee, fee_currency: coin, fee_price: price }: BookedTrade
): Pick<BotShare, "owed" | "owed_priced"> => {
  const debts = { owed: plus(owed, coin, fee) }
  if (price === undefined) return debts
  const { units, worth } = priced[coin] ?? { units: "0", worth: "0" }
  const paid = BigDecimal.multiply(decimalOfUnsafe(fee), decimalOfUnsafe(price))
  const known = { units: addText(units, fee), worth: addText(worth, decimalText(paid)) }
  return { ...debts, owed_priced: { ...priced, [coin]: known } }
}

/**
 * Books a trade of a bot. Each trade is to be booked once: the caller knows trades by their ids.
 *
 * @category models
 * @since 0.1.0
 */
export const bookBotTrade = (
  book: AccountBook,
  botId: string,
  trade: BookedTrade,
  kind: Kind = "spot"
): AccountBook => {
  const { fee_amount, fee_currency, price, quantity, side, symbol } = trade
  const [base, quote] = coinsOf(symbol)
  const share = book.bots[botId] ?? { quote, allocation: "0", coins: {}, positions: {} }
  const cost = decimalText(BigDecimal.multiply(decimalOfUnsafe(quantity), decimalOfUnsafe(price)))
  const isBuy = side === "buy"
  const moved = isBuy ? quantity : negated(quantity)
  const isSpot = kind === "spot"
  const traded = isSpot ? plus(share.coins, base, moved) : share.coins
  const paid = plus(traded, quote, isBuy ? negated(cost) : cost)
  const positions = isSpot ? share.positions : plus(share.positions, symbol, moved)
  const isOwn = fee_currency === quote || (isSpot && fee_currency === base)
  return withShare(book, botId, {
    ...share,
    positions,
    coins: isOwn ? plus(paid, fee_currency, negated(fee_amount)) : paid,
    ...(!isOwn && withDebt(share, trade))
  })
}

/**
 * Changes a bot's amount of a coin, or its part of a position, without a trade. An owner who
 * accepts the exchange's truth does that.
 *
 * @category models
 * @since 0.1.0
 */
export const adjust = (
  book: AccountBook,
  botId: string,
  { isPosition, name }: { readonly name: string; readonly isPosition: boolean },
  amount: string
): AccountBook => {
  const share = book.bots[botId]
  if (share === undefined) return book
  const held = isPosition ? "positions" : "coins"
  return withShare(book, botId, { ...share, [held]: plus(share[held], name, amount) })
}

/**
 * The quantity of each coin that a bot owns, its allocation included.
 *
 * @category models
 * @since 0.1.0
 */
export const ownedBy = ({ bots }: AccountBook, botId: string): Readonly<Record<string, string>> => {
  const share = bots[botId]
  return share === undefined ? {} : plus(share.coins, share.quote, share.allocation)
}

/**
 * The quantity of each coin of which fees took more than their bot had of it. They were taken from
 * coins that the bot never bought. Its own coins are whole, and its money is to pay for the debt.
 *
 * @category models
 * @since 0.1.0
 */
export const owedBy = (book: AccountBook, botId: string): Readonly<Record<string, string>> => {
  const share = book.bots[botId]
  if (share === undefined) return {}
  // Books that were kept before `owed` have debts among the coins, and so have payments.
  const below = Object.entries(ownedBy(book, botId)).filter(
    ([coin, units]) => coin !== share.quote && units.startsWith("-")
  )
  return below.reduce((owed, [coin, units]) => plus(owed, coin, negated(units)), share.owed ?? {})
}

/**
 * Gives a bot's debts in a coin that had no price a worth, at the first price of the coin: its own
 * books take the same.
 *
 * @category models
 * @since 0.1.0
 */
export const priceDebt = (
  book: AccountBook,
  botId: string,
  coin: string,
  price: string
): AccountBook => {
  const share = book.bots[botId]
  const units = owedBy(book, botId)[coin]
  if (share === undefined || units === undefined) return book
  const known = share.owed_priced?.[coin] ?? { units: "0", worth: "0" }
  const rest = BigDecimal.subtract(decimalOfUnsafe(units), decimalOfUnsafe(known.units))
  const worth = decimalText(BigDecimal.multiply(rest, decimalOfUnsafe(price)))
  const priced = { units, worth: addText(known.worth, worth) }
  return withShare(book, botId, {
    ...share,
    owed_priced: { ...share.owed_priced, [coin]: priced }
  })
}

/**
 * The worth of the fees that a bot owes in other coins, in its quote currency. It is the worth that
 * its books took: at each trade, or once the coin had a price. Without one, it counts at that of
 * now.
 *
 * @category models
 * @since 0.1.0
 */
export const debtWorthOf = (
  book: AccountBook,
  botId: string,
  /** The last price of a coin in the quote currency; null where none is known. */
  priceOf: (coin: string) => number | null
): number =>
  Object.entries(owedBy(book, botId)).reduce((sum, [coin, owed]) => {
    const { units, worth } = book.bots[botId]?.owed_priced?.[coin] ?? { units: "0", worth: "0" }
    const unpriced = Number(owed) - Number(units)
    return sum + Number(worth) + unpriced * (priceOf(coin) ?? 0)
  }, 0)

/**
 * The quantity of each coin by which a bot changes its account's holdings: its own, less its debts.
 *
 * @category models
 * @since 0.1.0
 */
export const netOf = (book: AccountBook, botId: string): Readonly<Record<string, string>> =>
  Object.entries(book.bots[botId]?.owed ?? {}).reduce(
    (net, [coin, units]) => plus(net, coin, negated(units)),
    ownedBy(book, botId)
  )

/**
 * The amount of its quote currency that a bot may still spend, below zero where it has spent more
 * than it had. `reserved` is the most that its open entries may take.
 *
 * @category models
 * @since 0.1.0
 */
export const spendableOf = (
  book: AccountBook,
  botId: string,
  reserved: ReadonlyArray<string> = []
): string => {
  const share = book.bots[botId]
  if (share === undefined) return "0"
  const owned = ownedBy(book, botId)[share.quote] ?? "0"
  return reserved.reduce((rest, amount) => addText(rest, negated(amount)), owned)
}

/** The sum of all bots in each coin, or in each market's position. @category models @since 0.1.0 */
export const amountSumsOf = (
  parts: ReadonlyArray<Readonly<Record<string, string>>>
): ReadonlyMap<string, string> => {
  const sums = new Map<string, string>()
  for (const part of parts) {
    for (const [name, amount] of Object.entries(part)) {
      sums.set(name, addText(sums.get(name) ?? "0", amount))
    }
  }
  return sums
}

/**
 * The coins that a bot owns, without those that fees took beyond its amount.
 *
 * @category models
 * @since 0.1.0
 */
export const ownCoins = (book: AccountBook, botId: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(ownedBy(book, botId)).filter(
      ([coin, units]) => coin === book.bots[botId]!.quote || !units.startsWith("-")
    )
  )

/**
 * The amount of a coin that bots own together, whatever they and others owe in it.
 *
 * @category models
 * @since 0.1.0
 */
export const claimsOn = (book: AccountBook, coin: string): string =>
  amountSumsOf(Object.keys(book.bots).map((id) => ownCoins(book, id))).get(coin) ?? "0"

/** The holdings of an exchange account. @category models @since 0.1.0 */
export interface HeldAmounts {
  readonly balances: ReadonlyMap<string, string>
  readonly positions: ReadonlyMap<string, string>
}

/** The need of a bot with positions: the larger of its allocation and its worth at last prices. */
const neededFor = (
  book: AccountBook,
  botId: string,
  priceOf: (symbol: string) => number | null
): Amount => {
  const { allocation, positions, quote } = book.bots[botId]!
  const own = decimalOfUnsafe(ownedBy(book, botId)[quote] ?? "0")
  const held = Object.entries(positions)
  if (held.length === 0) return own
  const worths = held.map(([symbol, units]) => {
    const price = priceOf(symbol)
    return price === null
      ? null
      : BigDecimal.multiply(decimalOfUnsafe(units), decimalOfNumber(price))
  })
  const known = worths.filter((worth) => worth !== null)
  const least = decimalOfUnsafe(allocation)
  if (known.length < worths.length) return least
  return BigDecimal.max(least, BigDecimal.sum(own, BigDecimal.sumAll(known)))
}

/** The amount of a currency that a bot with another one holds; 0 where fees have taken more. */
const ownedCoin = (book: AccountBook, botId: string, coin: string): Amount =>
  BigDecimal.max(decimalOfUnsafe(ownedBy(book, botId)[coin] ?? "0"), BigDecimal.fromBigInt(0n))

/**
 * The amount by which the bots' spending of a currency exceeds the account's, after a further
 * allocation. It is "0" where the account covers all of it.
 *
 * **Details**
 *
 * Where the exchange keeps positions, a trade leaves the money in the account. Of a bot that holds
 * some, the larger of its allocation and its worth at the last prices counts then. A currency may
 * be the coin of a bot that pays in another one: as much of it is not free.
 *
 * @category models
 * @since 0.1.0
 */
export const uncoveredAllocation = (
  book: AccountBook,
  { balances }: Pick<HeldAmounts, "balances">,
  quote: string,
  further = "0",
  priceOf: (symbol: string) => number | null = () => null
): string => {
  let needed = decimalOfUnsafe(further)
  for (const [id, share] of Object.entries(book.bots)) {
    if (share.quote === quote) needed = BigDecimal.sum(needed, neededFor(book, id, priceOf))
    else needed = BigDecimal.sum(needed, ownedCoin(book, id, quote))
  }
  const missing = BigDecimal.subtract(needed, decimalOfUnsafe(balances.get(quote) ?? "0"))
  return decimalText(BigDecimal.max(missing, BigDecimal.fromBigInt(0n)))
}
