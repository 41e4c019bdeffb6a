/**
 * The first price of each coin in which a bot has paid something before any price was known.
 *
 * Fees and funding in such a coin have no worth yet. The coin's first price is kept as a fact of
 * the bot, so that its books take the worth whenever they read it, and once.
 *
 * @since 0.1.0
 */
import { BigDecimal, Effect } from "effect"
import { type AccountBook, coinsOf, priceDebt } from "../../../domain/AccountBook.ts"
import { decimalOfNumber, decimalOfUnsafe, decimalText } from "../../../domain/decimals.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import type { PriceFact, VenueAccount, VenueFact } from "../../../domain/VenueAccount.ts"
import { type BoundsMemory, coinPriceOf, notePrices } from "./accountBounds.ts"
import { type AgentState, bookOf, type KeptBook } from "./agentState.ts"

/** By bot, the coins without a price in which it has paid. */
export type Unpriced = NonNullable<KeptBook["unpriced"]>

/** The worth of one of a coin that is paid in a market, as text; undefined where it is unknown. */
export const worthOfOne = (
  memory: BoundsMemory,
  coin: string,
  symbol: string
): string | undefined => {
  const price = coinPriceOf(memory, coin, coinsOf(symbol)[1])
  return price === null ? undefined : decimalText(decimalOfNumber(price))
}

/** The coin of a fact that nothing has given a worth of; null where there is none. */
const coinWithoutPrice = (fact: VenueFact): string | null => {
  if (fact.type === "funding") {
    const isKnown = fact.currency_price !== undefined || fact.currency === coinsOf(fact.symbol)[1]
    return isKnown ? null : fact.currency
  }
  if (fact.type !== "trade" || fact.fee_price !== undefined) return null
  if (BigDecimal.isZero(decimalOfUnsafe(fact.fee_amount))) return null
  return coinsOf(fact.symbol).includes(fact.fee_currency) ? null : fact.fee_currency
}

/** The coins without a price, once these facts are kept. */
export const noteUnpriced = (before: Unpriced, facts: ReadonlyArray<VenueFact>): Unpriced => {
  let unpriced = before
  for (const fact of facts) {
    const coin = coinWithoutPrice(fact)
    if (coin === null || fact.bot_id === null) continue
    const coins = unpriced[fact.bot_id] ?? []
    if (!coins.includes(coin)) unpriced = { ...unpriced, [fact.bot_id]: [...coins, coin] }
  }
  return unpriced
}

/** A bot's coin, and its first price; null as long as there is none. */
interface Due {
  readonly botId: string
  readonly coin: string
  readonly quote: string
  readonly price: number | null
}

/** The coins whose price is awaited. No bot waits for the coins of deleted bots. */
const dueOf = (
  unpriced: Unpriced,
  { bots }: AccountBook,
  memory: BoundsMemory
): ReadonlyArray<Due> =>
  Object.entries(unpriced).flatMap(([botId, coins]) => {
    const quote = bots[botId]?.quote
    if (quote === undefined) return []
    return coins.map((coin) => ({ botId, coin, quote, price: coinPriceOf(memory, coin, quote) }))
  })

/** Whether a coin that is waited for has a price by now. */
export const hasNewPrice = ({ prices }: AgentState, account: VenueAccount): boolean => {
  const { bounds, shares, unpriced } = bookOf(account)
  if (unpriced === undefined) return false
  return dueOf(unpriced, shares, notePrices(bounds, prices)).some(({ price }) => price !== null)
}

const toFact = ({ botId, coin, price, quote }: Due, atMs: number): PriceFact => ({
  type: "price",
  id: `price ${coin} ${botId}`,
  bot_id: botId,
  client_order_id: null,
  symbol: `${coin}/${quote}`,
  currency: coin,
  price: decimalText(decimalOfNumber(price ?? 0)),
  time_ms: atMs
})

/**
 * Keeps the prices that are known by now, and gives the debts of their coins a worth; says for
 * which bots, and which coins are left.
 */
export const keepPrices = Effect.fnUntraced(function* (
  { key, ports }: AgentState,
  { bounds, shares, unpriced = {} }: Omit<KeptBook, "hindrances">,
  atMs: number
): Effect.fn.Return<
  Pick<KeptBook, "shares"> & {
    readonly unpriced: Unpriced
    readonly botIds: ReadonlyArray<string>
  },
  StoreError
> {
  const due = dueOf(unpriced, shares, bounds)
  const known = due.filter(({ price }) => price !== null)
  const facts = known.map((one) => toFact(one, atMs))
  yield* ports.venueAccounts.keepFacts(key, facts)
  const left = due.filter(({ price }) => price === null)
  return {
    shares: facts.reduce(
      (priced, { bot_id, currency, price }) =>
        bot_id === null ? priced : priceDebt(priced, bot_id, currency, price),
      shares
    ),
    unpriced: Object.fromEntries(
      [...Map.groupBy(left, ({ botId }) => botId)].map(([botId, of]) => [
        botId,
        of.map(({ coin }) => coin)
      ])
    ),
    botIds: known.map(({ botId }) => botId)
  }
})
