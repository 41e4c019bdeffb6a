/**
 * Any order and repetition of what a venue tells gives the same orders, position and cash.
 */
import { assert, it } from "@effect/vitest"
import { BigDecimal } from "effect"
import { bookBotTrade, emptyAccountBook, ownedBy } from "../../../../src/domain/AccountBook.ts"
import { decimalOfUnsafe, decimalText } from "../../../../src/domain/decimals.ts"
import type { OrderRequest, Random } from "@candlewick/engine/kernel"
import type { TradeFact, VenueFact } from "../../../../src/domain/VenueAccount.ts"
import { heldIn, isFilled } from "../../../../src/services/venues/books/venueBook.ts"
import { toBookedAccount } from "../../../../src/services/venues/books/VenueBooks.ts"
import { atLeast, draws } from "../../../../../../test/draws.ts"
import { priceFactRecord } from "../../../../src/testing/venueRecords.ts"
import { endOf, Matcher, order, symbols, tradeOf } from "./venueFacts.ts"

/** The orders of a bot in one market, and all that the venue has to tell of them. */
interface Story {
  readonly orders: ReadonlyArray<readonly [OrderRequest, market: number]>
  readonly facts: ReadonlyArray<VenueFact>
}

const shuffled = <A>(random: Random, items: ReadonlyArray<A>): ReadonlyArray<A> =>
  items
    .map((item) => [random.next(), item] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, item]) => item)

/** Thousandths of a coin as text. */
const steps = (count: number): string => decimalText(BigDecimal.make(BigInt(count), 3))

/** Trades that fill so many steps of an order, in parts. */
const drawTrades = (
  random: Random,
  request: OrderRequest,
  market: number,
  whole: number
): ReadonlyArray<TradeFact> => {
  const trades: Array<TradeFact> = []
  for (let left = whole; left > 0;) {
    const part = random.next() < 0.4 ? left : random.integer(1, left)
    const coin = symbols[market]!.split("/")[0]!
    const fee_currency = random.pick([request.side === 1 ? coin : "USDT", "USDT", "BNB", "XYZ"])
    trades.push(
      tradeOf(request, {
        symbol: symbols[market]!,
        quantity: steps(part),
        price: (50 + random.next() * 100).toFixed(2),
        fee_currency,
        fee_amount: (random.next() * 0.0004).toFixed(7)
      })
    )
    left -= part
  }
  return trades
}

/** First prices of coins that fees are paid in; some coins never have one. */
const drawPrices = (random: Random): ReadonlyArray<VenueFact> =>
  ["BNB", "XYZ"].flatMap((currency) =>
    random.next() < 0.3
      ? []
      : [priceFactRecord({ currency, price: (random.next() * 400).toFixed(2) })]
  )

/** Positions that are opened, added to and sold, in parts or not at all. */
const drawStory = (random: Random, market: number): Story => {
  const orders: Array<Story["orders"][number]> = []
  const facts: Array<VenueFact> = []
  let held = decimalOfUnsafe("0")
  const trade = (request: OrderRequest, filled: number): void => {
    orders.push([request, market])
    const trades = drawTrades(random, request, market, filled)
    facts.push(...trades)
    for (const { fee_amount, fee_currency, quantity, symbol } of trades) {
      const moved = decimalOfUnsafe(quantity)
      held = BigDecimal.sum(held, request.side === 1 ? moved : BigDecimal.negate(moved))
      if (symbol.startsWith(fee_currency)) {
        held = BigDecimal.subtract(held, decimalOfUnsafe(fee_amount))
      }
    }
    const ordered = Math.round(request.quantity * 1_000)
    if (filled < ordered || random.next() < 0.2) facts.push(endOf(request, symbols[market]))
  }
  for (let count = random.integer(1, 4); count > 0; count--) {
    const size = random.integer(1, 3_000)
    trade(order({ quantity: size / 1_000 }), random.pick([size, size, random.integer(0, size)]))
    const most = Math.floor(Number(decimalText(held)) * 1_000)
    if (most <= 0) continue
    const sold = random.pick([most, most, random.integer(0, most), 0])
    if (sold > 0) trade(order({ leg: "exit", side: -1, quantity: sold / 1_000 }), sold)
  }
  return { orders, facts }
}

/** All that is known of a bot's account once the venue has told everything. */
const stateOf = ({ book }: Matcher) => ({
  cash: book.cash,
  held: book.markets.map((market) => decimalText(heldIn(market))),
  fees: book.unpricedFees,
  orders: Object.entries(book.orders).map(([id, one]) => {
    return { id, filled: one.filled, outcome: one.outcome, isFilled: isFilled(book, one) }
  })
})

/** The part of each market's coin that the bot owns in an account book. */
const coinsOfStory = (facts: ReadonlyArray<VenueFact>): ReadonlyArray<string> => {
  const trades = facts.filter((fact) => fact.type === "trade")
  const book = trades.reduce((sum, one) => bookBotTrade(sum, "bot", one), emptyAccountBook)
  return symbols.map((symbol) => ownedBy(book, "bot")[symbol.split("/")[0]!] ?? "0")
}

/**
 * Tells a story in some order, with repetitions and candles between, and counts the fees that found
 * their worth late.
 */
const tellStory = (random: Random, matcher: Matcher, facts: ReadonlyArray<VenueFact>): number => {
  let lateFees = 0
  for (const [at, fact] of facts.entries()) {
    const again = facts.slice(0, at).filter(() => random.next() < 0.1)
    const { fees = [] } = matcher.tell(
      ...(random.next() < 0.5 ? [...again, fact] : [fact, ...again])
    )
    lateFees += fees.filter(({ worth }) => worth !== null).length
    if (random.next() < 0.1) matcher.close(100)
  }
  // By then no trade waits to be explained.
  for (let count = 0; count < 3; count++) matcher.close(100)
  return lateFees
}

it("gives the same orders, position and cash", () => {
  const met = { dust: 0, facts: 0, lateFees: 0, unpriced: 0 }
  for (const { random, seed } of draws("venue facts", 3_000)) {
    const netting = random.pick(["single", "average", "hedging"] as const)
    const stories = symbols.map((_, market) => drawStory(random, market))
    const facts = [...stories.flatMap((story) => story.facts), ...drawPrices(random)]
    const matchers = [facts, shuffled(random, facts)].map((told) => {
      const matcher = new Matcher({ netting })
      for (const [request, market] of stories.flatMap(({ orders }) => orders)) {
        matcher.place(request, market)
      }
      met.lateFees += tellStory(random, matcher, told)
      return matcher
    })
    const [one, other] = matchers
    if (Object.keys(stateOf(one!).fees).length > 0) met.unpriced++
    assert.deepStrictEqual(stateOf(other!), stateOf(one!), seed)
    assert.deepStrictEqual(coinsOfStory(facts), stateOf(one!).held, seed)
    for (const { book, own } of matchers) {
      assert.deepStrictEqual(
        book.markets.map(({ waiting }) => waiting),
        [[], []]
      )
      const account = toBookedAccount(book)
      assert.closeTo(own.ledger.cash, account.cash, 1e-6, seed)
      for (const [market, { position }] of own.books.entries()) {
        const theirs = account.positions.find(({ symbol }) => symbol === symbols[market])
        assert.closeTo(position?.quantity ?? 0, theirs?.quantity ?? 0, 1e-9, seed)
        if (book.markets[market]!.dust !== "0") met.dust++
      }
    }
    met.facts += facts.length
  }
  assert.isAbove(met.facts, atLeast(20_000))
  assert.isAbove(met.dust, atLeast(200))
  assert.isAbove(met.lateFees, atLeast(1_000))
  assert.isAbove(met.unpriced, atLeast(500))
})
