/**
 * The holdings of bots and of the owner of their exchange account, held against the exchange.
 */
import { VenueAccountStore } from "@candlewick/core"
import { BigDecimal, Context, Effect, Option } from "effect"
import {
  type AccountBook,
  adjust,
  allocate,
  bookBotTrade,
  claimsOn,
  emptyAccountBook,
  netOf,
  ownedBy
} from "../../../packages/core/src/domain/AccountBook.ts"
import {
  decimalOfNumber,
  decimalOfUnsafe,
  decimalText,
  floorDecimalToStep
} from "../../../packages/core/src/domain/decimals.ts"
import { bookOf } from "../../../packages/core/src/services/venues/agent/agentState.ts"
import {
  type Exchange,
  holdingsOf,
  tradesOf
} from "../../../packages/core/src/testing/modelVenue/Exchange.ts"
import { marketAt } from "../accounts/faultyVenue.ts"
import { capital, symbols } from "../strategies.ts"
import type { World } from "../world.ts"
import { fundingFacts } from "./liveBooks.ts"
import { balance, type LiveSide } from "./liveSide.ts"

type Amount = BigDecimal.BigDecimal

const owner = "owner"
const { base, quantityStep, quote } = marketAt(symbols[0])

/** The owner of the account as one more bot, who trades by hand. */
const ownerOf = (world: World, { feeCoin, kind }: LiveSide, truth: Exchange): AccountBook => {
  const cash = String(Number(balance) - capital * world.bots.length)
  const begun = allocate(emptyAccountBook, owner, quote, cash)
  const start =
    typeof feeCoin === "object"
      ? adjust(begun, owner, { name: feeCoin.coin, isPosition: false }, feeCoin.owners)
      : begun
  return tradesOf(truth)
    .filter(({ orderId }) => orderId === null)
    .reduce(
      (book, { fee, ...trade }) =>
        bookBotTrade(
          book,
          owner,
          { ...trade, fee_amount: fee.amount, fee_currency: fee.currency },
          kind
        ),
      start
    )
}

/** Funding that no bot has a part of is the owner's. */
const withFunding = (book: AccountBook, { watch }: LiveSide): AccountBook =>
  fundingFacts(watch).reduce((after, { amount, bot_id, currency }) => {
    const got = decimalOfUnsafe(amount)
    const change = bot_id === null ? got : BigDecimal.negate(got)
    return adjust(after, owner, { name: currency, isPosition: false }, decimalText(change))
  }, book)

/** Coins of which it was accepted that bots do not have them were the owner's when he sold them. */
const withAccepted = (world: World, book: AccountBook, { shortage }: LiveSide): AccountBook =>
  world.bots.reduce(
    (after, { id }) =>
      symbols.reduce((one, symbol) => {
        const amount = decimalText(decimalOfNumber(shortage.acceptedOf(id, symbol)))
        return adjust(one, owner, { name: marketAt(symbol).base, isPosition: false }, amount)
      }, after),
    book
  )

/** Coins and positions as bots count them: to open a position costs its price. */
const truthOf = (exchange: Exchange): ReadonlyMap<string, Amount> => {
  const { balances, positions } = holdingsOf(exchange)
  const held = new Map<string, Amount>()
  for (const [name, amount] of [...balances, ...positions]) held.set(name, decimalOfUnsafe(amount))
  const costs = [...exchange.positions.values()].map(({ cost }) => cost)
  const free = held.get(quote) ?? decimalOfUnsafe("0")
  return held.set(quote, BigDecimal.subtract(free, BigDecimal.sumAll(costs)))
}

/** How what bots and their owner have differs from the exchange's; null where it does not. */
export const unheld = (world: World, live: LiveSide): string | null => {
  const accounts = Context.get(world.stores, VenueAccountStore)
  const kept = Effect.runSync(accounts.get(live.shareOf(world.accountId)))
  const { shares } = bookOf(Option.getOrThrow(kept))
  const truth = live.venue.now(live.venue.model.truth)
  const own = withAccepted(world, withFunding(ownerOf(world, live, truth), live), live)
  const held = truthOf(truth)
  const sums = new Map([...held.keys()].map((name) => [name, decimalOfUnsafe("0")]))
  const add = (amounts: Readonly<Record<string, string>>): void => {
    for (const [name, amount] of Object.entries(amounts)) {
      const before = sums.get(name) ?? decimalOfUnsafe("0")
      sums.set(name, BigDecimal.sum(before, decimalOfUnsafe(amount)))
    }
  }
  for (const [book, id] of [
    ...world.bots.map((bot) => [shares, bot.id] as const),
    [own, owner] as const
  ]) {
    add(netOf(book, id))
    add(book.bots[id]?.positions ?? {})
  }
  for (const [name, sum] of sums) {
    const there = held.get(name) ?? decimalOfUnsafe("0")
    const claims = live.kind === "spot" ? decimalOfUnsafe(claimsOn(shares, name)) : there
    // A fee may take what a bot has of a coin that is too little for an order.
    const most = BigDecimal.sum(there, decimalOfUnsafe(quantityStep))
    if (BigDecimal.isGreaterThan(claims, most)) {
      return `of ${name}, bots own ${decimalText(claims)}, and the exchange has ${decimalText(there)}`
    }
    if (BigDecimal.equals(sum, there)) continue
    return `of ${name}, bots and their owner have ${decimalText(sum)}, and the exchange ${decimalText(there)}`
  }
  return null
}

/** The quantity that the owner may sell of the first market's coin, in whole steps. */
export const ownersCoins = (world: World, live: LiveSide): string => {
  const truth = live.venue.now(live.venue.model.truth)
  const has = decimalOfUnsafe(ownedBy(ownerOf(world, live, truth), owner)[base] ?? "0")
  const selling = live.venue.orders
    .filter(({ id, side, status }) => id === null && side === "sell" && status === "open")
    .map(({ filled, quantity }) => BigDecimal.subtract(quantity, filled))
  const free = BigDecimal.subtract(has, BigDecimal.sumAll(selling))
  return decimalText(floorDecimalToStep(free, decimalOfUnsafe(quantityStep)))
}
