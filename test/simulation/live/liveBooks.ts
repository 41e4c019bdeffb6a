/**
 * The books of a live bot, held against everything that its exchange has told of it.
 */
import {
  type FundingFact,
  type PriceFact,
  openAttemptStates,
  PaperAccountStore,
  type TradeFact
} from "@candlewick/core"
import { BigDecimal, Context, Effect, Option } from "effect"
import { coinsOf } from "../../../packages/core/src/domain/AccountBook.ts"
import {
  decimalOfNumber,
  decimalOfUnsafe,
  decimalText,
  floorDecimalToStep,
  numberOf
} from "../../../packages/core/src/domain/decimals.ts"
import {
  heldIn,
  lotsQuantity,
  readVenueBook,
  type VenueBook
} from "../../../packages/core/src/services/venues/books/venueBook.ts"
import { protectionIn } from "../../../packages/core/src/services/venues/books/protectionStatus.ts"
import type { AccountWatch } from "../accounts/accountWatch.ts"
import { capital } from "../strategies.ts"
import type { World, WorldBot } from "../world.ts"
import type { LiveSide } from "./liveSide.ts"

type Amount = BigDecimal.BigDecimal

/** The part of a sum by which its rounding may be off. */
const roundingMax = 1e-9

const sum = (amounts: ReadonlyArray<Amount>): Amount => BigDecimal.sumAll(amounts)

/** The amount that a trade brings of the coin that it trades, less a fee in it. */
const broughtBy = (kind: VenueBook["kind"], fact: TradeFact): Amount => {
  const quantity = decimalOfUnsafe(fact.quantity)
  const moved = fact.side === "buy" ? quantity : BigDecimal.negate(quantity)
  const isOfBase = kind === "spot" && fact.fee_currency === coinsOf(fact.symbol)[0]
  return isOfBase ? BigDecimal.subtract(moved, decimalOfUnsafe(fact.fee_amount)) : moved
}

/** The cash that a trade leaves, with fees in cash, and the worth of those in another coin. */
const paidBy = (fact: TradeFact, prices: ReadonlyArray<PriceFact>): Amount => {
  const cost = BigDecimal.multiply(decimalOfUnsafe(fact.quantity), decimalOfUnsafe(fact.price))
  const got = fact.side === "buy" ? BigDecimal.negate(cost) : cost
  const [base, quote] = coinsOf(fact.symbol)
  if (fact.fee_currency === base) return got
  // A fee from before there was any price has the first one.
  const first = prices.find(({ currency }) => currency === fact.fee_currency)?.price ?? "0"
  const price = fact.fee_currency === quote ? "1" : (fact.fee_price ?? first)
  const fee = BigDecimal.multiply(decimalOfUnsafe(fact.fee_amount), decimalOfUnsafe(price))
  return BigDecimal.subtract(got, fee)
}

const differs = (what: string, has: Amount, should: Amount): string | null =>
  BigDecimal.equals(has, should)
    ? null
    : `the books have ${decimalText(has)} of ${what}, and the exchange has told ${decimalText(should)}`

/** The books of a bot as they are kept; null before its first start. */
export const bookOfBot = (world: World, { id }: WorldBot): VenueBook | null => {
  const kept = Effect.runSync(Context.get(world.stores, PaperAccountStore).get(id))
  return Option.isNone(kept) ? null : Effect.runSync(readVenueBook(id, kept.value))
}

/** The books without lots that are worth too little: the exchange refuses every stop for one. */
const withoutDust = (book: VenueBook, { venue }: Pick<LiveSide, "venue">): VenueBook => {
  const { markets, specs, symbols } = book
  const { prices } = venue.now(venue.model.truth)
  return {
    ...book,
    markets: markets.map((state, market) => ({
      ...state,
      lots: state.lots.filter(({ quantity }) => {
        const { lot, minNotional } = specs[market]!
        const size = floorDecimalToStep(
          decimalOfUnsafe(quantity.replace("-", "")),
          decimalOfNumber(lot)
        )
        const price = Math.min(state.lastClose!, numberOf(prices.get(symbols[market]!)!))
        return numberOf(size) * price >= minNotional
      })
    }))
  }
}

/** The funding that an exchange account has been told of, by bot and of the whole account. */
export const fundingFacts = ({ facts }: Pick<AccountWatch, "facts">): ReadonlyArray<FundingFact> =>
  [...facts.values()].filter((fact): fact is FundingFact => fact.type === "funding")

/** The first prices of coins that bots have paid in before any was known. */
export const priceFacts = ({ facts }: Pick<AccountWatch, "facts">): ReadonlyArray<PriceFact> =>
  [...facts.values()].filter((fact): fact is PriceFact => fact.type === "price")

/** Which lot of a bot has no stop at its exchange and is not leaving either; null where none. */
export const unprotected = (
  world: World,
  bot: WorldBot,
  live: Pick<LiveSide, "venue" | "watch">
): string | null => {
  const book = bookOfBot(world, bot)
  if (book === null || bot.definition.exits?.stop_loss === undefined) return null
  const own = [...live.watch.attempts.values()].filter(({ bot_id }) => bot_id === bot.id)
  const isLeaving = (market: number): boolean =>
    own.some(
      (one) =>
        one.market === market &&
        one.leg !== "entry" &&
        one.order.type === "market" &&
        openAttemptStates.includes(one.state)
    )
  const at = protectionIn(withoutDust(book, live), own).findIndex(
    (status, market) => status !== null && status !== "venue" && !isLeaving(market)
  )
  return at < 0 ? null : `what is held of ${book.symbols[at]} has no stop at the exchange`
}

/** The entry of a bot that rests though its time is over; null where there is none. */
export const overtime = (
  { market }: World,
  bot: WorldBot,
  { venue, watch }: Pick<LiveSide, "venue" | "watch">
): string | null => {
  if (Math.min(market.told, market.count) < bot.entriesEndAfter) return null
  const late = venue.orders.find(({ id, status }) => {
    const attempt = id === null ? undefined : watch.attempts.get(id)
    return status === "open" && attempt?.bot_id === bot.id && attempt.leg === "entry"
  })
  return late === undefined ? null : `${late.id} rests after its time`
}

/** The market that a bot holds after a stop that closes; null where nothing can be sold. */
export const unclosed = (
  world: World,
  own: WorldBot,
  live: Pick<LiveSide, "venue">
): string | null => {
  const { bot } = world.watch.bots.get(own.id)!
  const book = bookOfBot(world, own)
  if (book === null || bot.status !== "stopped" || bot.stop_positions !== "close") return null
  const at = withoutDust(book, live).markets.findIndex(({ lots }) => lots.length > 0)
  return at < 0 ? null : `${book.symbols[at]} is held after a stop that closes`
}

/** The quantity that a bot's own trades have brought, as they are listed. */
const listedOf = (world: World, { id }: WorldBot, symbol: string): number =>
  [...world.watch.bots.get(id)!.trades.values()]
    .filter((trade) => trade.symbol === symbol)
    .reduce((held, { amount, side }) => held + (side === "buy" ? amount : -amount), 0)

/** The payments besides trades, and the prices of coins that they are worth. */
interface ToldPayments {
  readonly paid: ReadonlyArray<FundingFact>
  readonly priced: ReadonlyArray<PriceFact>
}

/** How a bot's books differ from the trades that the exchange has told of it; null where not. */
export const unbooked = (
  world: World,
  bot: WorldBot,
  told: ReadonlyArray<TradeFact>,
  { paid, priced }: ToldPayments
): string | null => {
  const own = told.filter(({ bot_id }) => bot_id === bot.id)
  const book = bookOfBot(world, bot)
  if (book === null) return own.length === 0 ? null : "a bot without books has trades"
  for (const [market, state] of book.markets.entries()) {
    const symbol = book.symbols[market]!
    if (state.waiting.length > 0) return `trades of ${symbol} wait to be booked`
    const ofIt = own.filter((fact) => fact.symbol === symbol)
    const gone = decimalOfNumber(world.live!.shortage.acceptedOf(bot.id, symbol))
    const bought = sum(ofIt.map((fact) => broughtBy(book.kind, fact)))
    const brought = BigDecimal.subtract(bought, gone)
    const found = differs(symbol, heldIn(state), brought)
    if (found !== null) return found
    const lots = Number(decimalText(lotsQuantity(state)))
    const listed = listedOf(world, bot, symbol)
    const traded = ofIt.reduce((all, { quantity }) => all + Number(quantity), 0)
    if (Math.abs(listed - numberOf(gone) - lots) > traded * roundingMax) {
      return `a bot's trades of ${symbol} come to ${listed}, and its books hold ${lots}`
    }
  }
  const funding = paid.filter(({ bot_id }) => bot_id === bot.id)
  const prices = priced.filter(({ bot_id }) => bot_id === bot.id)
  const cash = sum([
    decimalOfNumber(capital),
    ...own.map((fact) => paidBy(fact, prices)),
    ...funding.map(({ amount }) => decimalOfUnsafe(amount))
  ])
  // On spot the money of others would have paid for the rest.
  if (book.kind === "spot" && Number(decimalText(cash)) < -capital * roundingMax) {
    return `a bot has spent ${decimalText(BigDecimal.negate(cash))} more than its allocation`
  }
  return differs("cash", decimalOfUnsafe(book.cash), cash)
}
