/**
 * Facts of a venue become fills that keep a bot's own books equal to what the venue did.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  allocate,
  bookBotTrade,
  emptyAccountBook,
  ownedBy
} from "../../../../src/domain/AccountBook.ts"
import { compareHoldings } from "../../../../src/domain/HoldingLines.ts"
import {
  acceptMissing,
  missingOf,
  withoutMissing
} from "../../../../src/services/venues/books/missingHoldings.ts"
import { toBookedAccount } from "../../../../src/services/venues/books/VenueBooks.ts"
import {
  keptVenueBook,
  placeInBook,
  readVenueBook
} from "../../../../src/services/venues/books/venueBook.ts"
import { Effect } from "effect"
import { fundingFactRecord, priceFactRecord } from "../../../../src/testing/venueRecords.ts"
import { endOf, Matcher, order, spec, symbols, tradeOf } from "./venueFacts.ts"

const symbol = symbols[0]!

/** The bot's own books and the venue's hold the same, to what doubles can say. */
const assertSame = ({ book, own }: Matcher): void => {
  const account = toBookedAccount(book)
  assert.closeTo(account.cash, own.ledger.cash, 1e-9)
  for (const [market, { position }] of own.books.entries()) {
    const theirs = account.positions.find((one) => one.symbol === symbols[market])
    assert.closeTo(theirs?.quantity ?? 0, position?.quantity ?? 0, 1e-9)
    assert.closeTo(theirs?.entryPrice ?? 0, position?.entryPrice ?? 0, 1e-9)
  }
}

describe("books at a venue", () => {
  it("tell of a trade once, in the words of a fill", () => {
    const matcher = new Matcher()
    const entry = matcher.place(order({ quantity: 2 }))
    const trade = tradeOf(entry, { price: "100.5", fee_amount: "0.201", time_ms: 77 })
    const { ended, fills } = matcher.tell(trade)
    assert.deepStrictEqual(ended, [])
    assert.deepStrictEqual(fills, [
      {
        orderId: entry.id,
        market: 0,
        side: 1,
        quantity: 2,
        price: 100.5,
        fee: 0.201,
        index: 0,
        time: 77,
        leg: "entry",
        effect: "open",
        closed: null
      }
    ])
    assert.deepStrictEqual(matcher.tell(trade), { ended: [], fills: [], payments: [] })
    assert.deepStrictEqual(toBookedAccount(matcher.book), {
      cash: 798.799,
      positions: [{ symbol, quantity: 2, entryPrice: 100.5, protection: null }],
      openOrders: []
    })
    assertSame(matcher)
  })

  it("pay and get funding once, be it in the quote currency or in a coin with a price", () => {
    const matcher = new Matcher({ kind: "one_way" })
    matcher.tell(tradeOf(matcher.place(order({ quantity: 2 }))))
    const paid = fundingFactRecord({ symbol, amount: "-1.5", time_ms: 9 })
    const { payments } = matcher.tell(paid)
    assert.deepStrictEqual(payments, [{ market: 0, time: 9, amount: 1.5 }])
    assert.deepStrictEqual(matcher.tell(paid).payments, [])
    assertSame(matcher)
    matcher.tell(
      fundingFactRecord({ symbol, amount: "0.01", currency: "BNB", currency_price: "300" })
    )
    assertSame(matcher)
    assert.closeTo(toBookedAccount(matcher.book).cash, 1_000 - 200 - 1.5 + 3, 1e-9)
    const unpriced = fundingFactRecord({ symbol, amount: "-7", currency: "DOGE" })
    assert.deepStrictEqual(matcher.tell(unpriced).payments, [])
    assert.deepStrictEqual(matcher.book.unpricedFees, { DOGE: "7" })
  })

  it("pay funding that is told with the entry that it was paid on, or after the exit", () => {
    const matcher = new Matcher({ kind: "one_way" })
    const paid = () => fundingFactRecord({ symbol, amount: "-1.5" })
    matcher.tell(tradeOf(matcher.place(order())), paid())
    assertSame(matcher)
    matcher.tell(tradeOf(matcher.place(order({ leg: "exit", side: -1 }))))
    matcher.tell(paid())
    assertSame(matcher)
    assert.closeTo(matcher.own.ledger.cash, 1_000 - 3, 1e-9)
  })

  it("close a position with its result, net of both fees", () => {
    const matcher = new Matcher()
    const entry = matcher.place(order({ quantity: 2 }))
    matcher.tell(tradeOf(entry, { fee_amount: "0.2" }))
    const exit = matcher.place(order({ leg: "exit", side: -1, quantity: 2 }))
    const [fill] = matcher.tell(tradeOf(exit, { price: "110", fee_amount: "0.22" })).fills
    assert.deepInclude(fill, { leg: "exit", effect: "close", quantity: 2, fee: 0.22 })
    assert.deepInclude(fill!.closed, { direction: 1, quantity: 2, exitReason: "signal" })
    assert.closeTo(fill!.closed!.pnl, 20 - 0.42, 1e-9)
    assert.deepStrictEqual(toBookedAccount(matcher.book).positions, [])
    assertSame(matcher)
  })

  it("shorten what was bought by a fee in the same coin, and fill the order all the same", () => {
    const matcher = new Matcher()
    const entry = matcher.place(order({ quantity: 2 }))
    const fee = { fee_amount: "0.002", fee_currency: "BTC" }
    const [fill] = matcher.tell(tradeOf(entry, fee)).fills
    assert.deepInclude(fill, { quantity: 1.998, price: 100, ordered: 2 })
    assert.closeTo(fill!.fee, 0.2, 1e-12)
    assert.deepStrictEqual(matcher.own.books[0]!.orders, [])
    assert.deepInclude(toBookedAccount(matcher.book).positions[0], { quantity: 1.998 })
    assertSame(matcher)
  })

  it("value a fee in a third coin where its price is known, and count it where not", () => {
    const matcher = new Matcher()
    const entry = matcher.place(order())
    const [first] = matcher.tell(
      priceFactRecord({ price: "300" }),
      tradeOf(entry, { quantity: "0.5", fee_amount: "0.001", fee_currency: "BNB" })
    ).fills
    assert.closeTo(first!.fee, 0.3, 1e-12)
    const [second] = matcher.tell(
      tradeOf(entry, { quantity: "0.5", fee_amount: "7", fee_currency: "XYZ" })
    ).fills
    assert.strictEqual(second!.fee, 0)
    assert.deepStrictEqual(matcher.book.unpricedFees, { XYZ: "7" })
    assertSame(matcher)
  })

  it("take a fee and funding in a third coin once its first price is told, and tell of both", () => {
    const matcher = new Matcher({ kind: "one_way" })
    const entry = matcher.place(order())
    const fee = { fee_amount: "2", fee_currency: "XYZ" }
    const owed = matcher.tell(tradeOf(entry, fee), fundingFactRecord({ symbol, currency: "XYZ" }))
    assert.deepStrictEqual(owed.fees, [{ coin: "XYZ", amount: "2.42", worth: null }])
    assert.strictEqual(matcher.own.ledger.cash, 900)
    const [first, second] = ["10", "20"].map((price) => priceFactRecord({ currency: "XYZ", price }))
    assert.deepStrictEqual(matcher.tell(first!).fees, [
      { coin: "XYZ", amount: "2.42", worth: 24.2 }
    ])
    assert.notProperty(matcher.tell(second!, first!), "fees")
    const exit = matcher.place(order({ leg: "exit", side: -1 }))
    const [sold] = matcher.tell(tradeOf(exit, fee)).fills
    assert.strictEqual(sold!.fee, 20)
    assert.deepStrictEqual(matcher.book.unpricedFees, {})
    assert.closeTo(matcher.own.ledger.cash, 1_000 - 24.2 - 20, 1e-9)
    assert.closeTo(matcher.own.ledger.feesPaid, 24.2 + 20, 1e-9)
    assertSame(matcher)
  })

  it("tell that a fee in a third coin was given back before there was a price", () => {
    const matcher = new Matcher()
    const entry = matcher.place(order())
    const part = { quantity: "0.5", fee_currency: "XYZ" }
    matcher.tell(tradeOf(entry, { ...part, fee_amount: "2" }))
    const { fees } = matcher.tell(tradeOf(entry, { ...part, fee_amount: "-2" }))
    assert.deepStrictEqual(fees, [{ coin: "XYZ", amount: "0", worth: null }])
    assert.deepStrictEqual(matcher.book.unpricedFees, {})
  })

  it("value a fee in a third coin by what it was worth when it was told", () => {
    const matcher = new Matcher()
    const entry = matcher.place(order())
    const fee = { fee_amount: "0.001", fee_currency: "XYZ", fee_price: "250" }
    const [fill] = matcher.tell(tradeOf(entry, { quantity: "1", ...fee })).fills
    assert.closeTo(fill!.fee, 0.25, 1e-12)
    assert.deepStrictEqual(matcher.book.unpricedFees, {})
    assertSame(matcher)
  })

  it("let an order rest until its last part, and merge the parts at their average", () => {
    const matcher = new Matcher()
    const entry = matcher.place(order({ quantity: 2 }))
    matcher.tell(tradeOf(entry, { quantity: "0.5" }))
    assert.lengthOf(matcher.own.books[0]!.orders, 1)
    assert.deepStrictEqual(toBookedAccount(matcher.book).openOrders, [
      { symbol, clientOrderId: entry.id }
    ])
    const [fill] = matcher.tell(tradeOf(entry, { quantity: "1.5", price: "104" })).fills
    assert.strictEqual(fill!.effect, "increase")
    assert.deepStrictEqual(matcher.own.books[0]!.orders, [])
    assert.deepInclude(toBookedAccount(matcher.book).positions[0], { quantity: 2, entryPrice: 103 })
    assertSame(matcher)
  })

  it("keep an exit's trade back until its entry's has come", () => {
    const matcher = new Matcher()
    const entry = matcher.place(order())
    const exit = matcher.place(order({ leg: "exit", side: -1 }))
    const bought = tradeOf(entry)
    assert.deepStrictEqual(matcher.tell(tradeOf(exit, { price: "110" })).fills, [])
    assertSame(matcher)
    const { fills } = matcher.tell(bought)
    assert.deepStrictEqual(
      fills.map(({ effect, orderId }) => [orderId, effect]),
      [
        [entry.id, "open"],
        [exit.id, "close"]
      ]
    )
    assertSame(matcher)
  })

  it("keep an entry's trade back until what is held the other way is closed", () => {
    const matcher = new Matcher({ kind: "one_way" })
    matcher.tell(tradeOf(matcher.place(order())))
    const exit = matcher.place(order({ leg: "exit", side: -1 }))
    const short = matcher.place(order({ side: -1 }))
    assert.deepStrictEqual(matcher.tell(tradeOf(short)).fills, [])
    const { fills } = matcher.tell(tradeOf(exit))
    assert.deepStrictEqual(
      fills.map(({ effect, orderId }) => [orderId, effect]),
      [
        [exit.id, "close"],
        [short.id, "open"]
      ]
    )
    assertSame(matcher)
  })

  it("book an entry's trade against what is held at once, where no exit could explain it", () => {
    const matcher = new Matcher({ kind: "one_way" })
    matcher.tell(tradeOf(matcher.place(order())))
    const exit = matcher.place(order({ leg: "exit", side: -1 }))
    matcher.tell(tradeOf(exit, { quantity: "0.4" }))
    matcher.tell(endOf(exit))
    const { fills } = matcher.tell(tradeOf(matcher.place(order({ side: -1 }))))
    assert.deepStrictEqual(
      fills.map(({ effect }) => effect),
      ["close", "open"]
    )
    assert.closeTo(toBookedAccount(matcher.book).positions[0]!.quantity, -0.4, 1e-9)
    assertSame(matcher)
  })

  it("are kept where a level of an exit is not known yet", () => {
    const matcher = new Matcher()
    const unknown = { kind: "distance", value: NaN } as const
    const stopLoss = { kind: "fraction", value: 0.1 } as const
    const breakEven = { activation: unknown, offsetRate: 0 }
    const trailingStop = { distance: unknown, activation: null }
    const attached = { stopLoss, takeProfit: unknown, trailingStop, breakEven }
    const { id } = matcher.place(order({ attached }))
    const kept = JSON.parse(JSON.stringify(keptVenueBook(matcher.book))) as never
    const read = Effect.runSync(readVenueBook("bot", kept))
    assert.deepStrictEqual(read.orders[id]!.attached, {
      stopLoss,
      takeProfit: null,
      trailingStop: null,
      breakEven: null
    })
  })

  it("book a trade that nothing explains after two candles, for it is the truth", () => {
    const matcher = new Matcher({ kind: "one_way" })
    const exit = matcher.place(order({ leg: "exit", side: -1 }))
    matcher.tell(tradeOf(exit))
    assert.deepStrictEqual(matcher.close(100).fills, [])
    assert.lengthOf(matcher.close(100).fills, 1)
    assert.deepInclude(toBookedAccount(matcher.book).positions[0], { quantity: -1 })
    assertSame(matcher)
  })

  it("take a rest that can't be sold for nothing held, and sweep it up with the next entry", () => {
    const matcher = new Matcher()
    const entry = matcher.place(order())
    matcher.tell(tradeOf(entry, { fee_amount: "0.0015", fee_currency: "BTC" }))
    const exit = matcher.place(order({ leg: "exit", side: -1, quantity: 0.9985 }))
    const [sold] = matcher.tell(tradeOf(exit, { quantity: "0.998" })).fills
    assert.deepInclude(sold, { effect: "close", quantity: 0.9985 })
    assert.closeTo(sold!.fee, 0.05, 1e-9, "the worth of the dust")
    assert.deepStrictEqual(matcher.own.books[0]!, {
      ...matcher.own.books[0]!,
      orders: [],
      position: null
    })
    assert.deepStrictEqual(toBookedAccount(matcher.book).positions, [])
    assert.strictEqual(matcher.book.markets[0]!.dust, "0.0005")
    assertSame(matcher)
    const again = matcher.place(order())
    const [bought] = matcher.tell(tradeOf(again, { price: "120" })).fills
    assert.deepInclude(bought, { quantity: 1.0005, ordered: 1 })
    assert.strictEqual(matcher.book.markets[0]!.dust, "0")
    assert.closeTo(matcher.own.ledger.cash, 1_000 - 100 + 99.8 - 120, 1e-9)
    assert.deepStrictEqual(matcher.own.books[0]!.orders, [])
    assertSame(matcher)
  })

  it("keep a rest of a step and more, though its venue would not sell so little", () => {
    const matcher = new Matcher()
    matcher.tell(tradeOf(matcher.place(order())))
    const exit = matcher.place(order({ leg: "exit", side: -1, quantity: 0.96 }))
    const [sold] = matcher.tell(tradeOf(exit)).fills
    assert.deepInclude(sold, { effect: "reduce", quantity: 0.96, fee: 0 })
    assert.deepInclude(toBookedAccount(matcher.book).positions[0], { quantity: 0.04 })
    assertSame(matcher)
  })

  it("keep rests of lots that can be sold together, and forget none of them", () => {
    const specs = symbols.map(() => ({ ...spec, lot: 0.1 }))
    const matcher = new Matcher({ netting: "hedging", specs })
    const fee = { fee_amount: "0.04", fee_currency: "BTC" }
    const lots = [1, 2, 3].map(() => matcher.place(order()))
    for (const lot of lots) matcher.tell(tradeOf(lot, fee))
    const sell = (lot: string, quantity: number) =>
      matcher.tell(tradeOf(matcher.place(order({ leg: "exit", side: -1, lot, quantity })))).fills
    assert.deepInclude(sell(lots[0]!.id, 0.9)[0], {
      effect: "reduce",
      quantity: 0.96,
      lot: lots[0]!.id
    })
    assert.strictEqual(matcher.book.markets[0]!.dust, "0.06")
    const [kept] = sell(lots[1]!.id, 0.9)
    assert.deepInclude(kept, { lot: lots[1]!.id, quantity: 0.84 })
    assert.strictEqual(matcher.book.markets[0]!.dust, "0")
    assert.deepStrictEqual(
      matcher.book.markets[0]!.lots.map(({ quantity }) => quantity),
      ["0.12", "0.96"]
    )
    sell(lots[1]!.id, 0.1)
    sell(lots[2]!.id, 0.9)
    assert.strictEqual(matcher.book.markets[0]!.dust, "0.08")
    assert.deepStrictEqual(toBookedAccount(matcher.book).positions, [])
    assert.closeTo(matcher.own.ledger.cash, 1_000 - 300 + 280, 1e-9)
    assertSame(matcher)
  })

  it("book the last part of a sale at once, though fees in the coin have taken from it", () => {
    const matcher = new Matcher()
    matcher.tell(tradeOf(matcher.place(order())))
    const exit = matcher.place(order({ leg: "exit", side: -1 }))
    const part = { quantity: "0.5", fee_amount: "0.01", fee_currency: "BTC" }
    assert.lengthOf(matcher.tell(tradeOf(exit, part)).fills, 1)
    assert.lengthOf(matcher.tell(tradeOf(exit, part)).fills, 1)
    assert.deepStrictEqual(toBookedAccount(matcher.book).positions, [])
    assert.strictEqual(matcher.book.markets[0]!.dust, "-0.02")
  })

  it("book a last part after fees in the coin have left less than a step of the position", () => {
    const matcher = new Matcher()
    matcher.tell(tradeOf(matcher.place(order())))
    const exit = matcher.place(order({ leg: "exit", side: -1 }))
    const fee = { fee_amount: "0.005", fee_currency: "BTC" }
    matcher.tell(tradeOf(exit, { ...fee, quantity: "0.995" }))
    assert.deepStrictEqual(toBookedAccount(matcher.book).positions, [])
    matcher.tell(tradeOf(exit, { ...fee, quantity: "0.005" }))
    assert.lengthOf(matcher.book.markets[0]!.waiting, 0)
    assert.strictEqual(matcher.book.markets[0]!.dust, "-0.01")
  })

  it("owe a fee in a coin that is sold out, and open no position with it", () => {
    const matcher = new Matcher()
    const all = { quantity: "2", price: "100" }
    matcher.tell(tradeOf(matcher.place(order({ quantity: 2 })), all))
    const exit = matcher.place(order({ leg: "exit", side: -1, quantity: 2 }))
    matcher.tell(tradeOf(exit, { ...all, fee_amount: "0.1", fee_currency: "BTC" }))
    assert.deepStrictEqual(toBookedAccount(matcher.book).positions, [])
    assert.strictEqual(matcher.book.markets[0]!.dust, "-0.1")
    const [bought] = matcher.tell(tradeOf(matcher.place(order()))).fills
    assert.deepInclude(bought, { effect: "open", quantity: 0.9 })
    assertSame(matcher)
  })

  it("wait for the rest of an exit that fills in parts before anything of it is dust", () => {
    const matcher = new Matcher()
    matcher.tell(tradeOf(matcher.place(order())))
    const exit = matcher.place(order({ leg: "exit", side: -1 }))
    const [first] = matcher.tell(tradeOf(exit, { quantity: "0.99" })).fills
    assert.deepInclude(first, { effect: "reduce", quantity: 0.99 })
    const [last] = matcher.tell(tradeOf(exit, { quantity: "0.01" })).fills
    assert.deepInclude(last, { effect: "close" })
    assert.strictEqual(matcher.book.markets[0]!.dust, "0")
    assertSame(matcher)
  })

  it("tell of an order that ended, once, and not where trades have filled it whole", () => {
    const matcher = new Matcher()
    const [filled, cut] = [matcher.place(order()), matcher.place(order(), 1)]
    assert.deepStrictEqual(matcher.tell(tradeOf(filled), endOf(filled)).ended, [])
    const part = tradeOf(cut, { symbol: symbols[1]!, quantity: "0.4" })
    assert.deepStrictEqual(matcher.tell(part, endOf(cut, symbols[1])).ended, [
      { orderId: cut.id, market: 1, outcome: "cancelled", reason: "the venue cancelled it" }
    ])
    assert.deepStrictEqual(matcher.tell(endOf(cut, symbols[1])).ended, [])
    assert.deepStrictEqual(matcher.own.books[1]!.orders, [])
    assertSame(matcher)
  })

  it("tell of the end of an order whose last part is too little to be held", () => {
    const matcher = new Matcher()
    const entry = matcher.place(order())
    matcher.tell(tradeOf(entry, { quantity: "0.9985" }))
    const exit = matcher.place(order({ leg: "exit", side: -1, quantity: 0.9985 }))
    matcher.tell(tradeOf(exit))
    assert.deepStrictEqual(
      matcher.own.books[0]!.orders.map(({ id }) => id),
      [entry.id]
    )
    const { ended, fills } = matcher.tell(tradeOf(entry, { quantity: "0.0008" }))
    assert.deepStrictEqual(fills, [])
    assert.deepInclude(ended[0], { orderId: entry.id, market: 0, outcome: "cancelled" })
    assert.deepStrictEqual(matcher.own.books[0]!.orders, [])
    assert.deepStrictEqual(matcher.close(100).ended, [])
    assertSame(matcher)
  })

  it("book a trade that comes after the end of its order", () => {
    const matcher = new Matcher()
    const entry = matcher.place(order())
    matcher.tell(endOf(entry))
    assert.lengthOf(matcher.tell(tradeOf(entry)).fills, 1)
    assert.deepInclude(toBookedAccount(matcher.book).positions[0], { quantity: 1 })
    assertSame(matcher)
  })

  it("keep entries apart where lots are separate, and reduce the oldest, or the one named", () => {
    const matcher = new Matcher({ netting: "hedging" })
    const entries = ["100", "110", "120"].map((price) => {
      const entry = matcher.place(order())
      matcher.tell(tradeOf(entry, { quantity: "0.5", price }))
      matcher.tell(tradeOf(entry, { quantity: "0.5", price }))
      return entry.id
    })
    const named = matcher.place(order({ leg: "exit", side: -1, lot: entries[1]! }))
    const [only] = matcher.tell(tradeOf(named)).fills
    assert.deepInclude(only, { lot: entries[1]!, effect: "reduce" })
    assert.strictEqual(only!.closed!.entryPrice, 110)
    const rest = matcher.place(order({ leg: "exit", side: -1, quantity: 1.5 }))
    const { fills } = matcher.tell(tradeOf(rest))
    assert.deepStrictEqual(
      fills.map(({ lot, quantity }) => [lot, quantity]),
      [
        [entries[0]!, 1],
        [entries[2]!, 0.5]
      ]
    )
    assert.deepStrictEqual(
      toBookedAccount(matcher.book).positions[0]!.lots!.map(({ entryOrderId, quantity }) => [
        entryOrderId,
        quantity
      ]),
      [[entries[2]!, 0.5]]
    )
    assertSame(matcher)
  })

  it("show less than was booked where the venue is missing some", () => {
    const matcher = new Matcher()
    matcher.tell(tradeOf(matcher.place(order({ quantity: 2 }))))
    matcher.book.missing = { BTC: "0.5" }
    assert.deepInclude(toBookedAccount(matcher.book).positions[0], { quantity: 1.5 })
    matcher.book.missing = { BTC: "2", USDT: "30" }
    assert.deepInclude(toBookedAccount(matcher.book), { cash: 770, positions: [] })
  })

  it("keep lots apart where some of them are missing, of which the oldest has less", () => {
    const matcher = new Matcher({ netting: "hedging" })
    const [first, second] = [0.5, 1].map((quantity) => {
      const entry = matcher.place(order({ quantity }))
      matcher.tell(tradeOf(entry))
      return entry.id
    })
    const lotsShown = () =>
      toBookedAccount(matcher.book).positions.flatMap(({ lots = [] }) =>
        lots.map(({ entryOrderId, quantity }) => [entryOrderId, quantity])
      )
    matcher.book.missing = { BTC: "0.2" }
    assert.deepStrictEqual(lotsShown(), [
      [first, 0.3],
      [second, 1]
    ])
    matcher.book.missing = { BTC: "0.7" }
    const shown = toBookedAccount(matcher.book)
    assert.deepInclude(shown.positions[0], { quantity: 0.8 })
    acceptMissing(matcher.book)
    assert.deepStrictEqual(toBookedAccount(matcher.book), shown)
    assert.deepStrictEqual(lotsShown(), [[second, 0.8]])
  })

  it("lack no more than they have, whatever else their venue lacks", () => {
    let accounts = emptyAccountBook
    for (const bot of ["bot", "other"]) {
      accounts = allocate(accounts, bot, "USDT", "1000")
      accounts = bookBotTrade(accounts, bot, tradeOf(order({ quantity: 2 })))
    }
    const balances = new Map([
      ["BTC", "1"],
      ["USDT", "100"]
    ])
    const lines = compareHoldings(accounts, { balances, positions: new Map() })
    const missing = missingOf(lines, "bot", accounts)
    assert.deepStrictEqual(missing, { BTC: "2", USDT: "800" })
    const accepted = withoutMissing(accounts, "bot", { missing, cash: "0" })
    assert.strictEqual(ownedBy(accepted, "bot")["BTC"] ?? "0", "0")
    const rest = compareHoldings(accepted, { balances, positions: new Map() })
    assert.deepStrictEqual(missingOf(rest, "other", accepted), { BTC: "1", USDT: "700" })
  })

  it("lose what somebody accepts to be missing, and go on from there", () => {
    const matcher = new Matcher()
    matcher.tell(tradeOf(matcher.place(order({ quantity: 2 }))))
    let accounts = allocate(emptyAccountBook, "bot", "USDT", "1000")
    accounts = bookBotTrade(accounts, "bot", tradeOf(order({ quantity: 2 })))
    const balances = new Map([
      ["BTC", "1.5"],
      ["USDT", "800"]
    ])
    const lines = compareHoldings(accounts, { balances, positions: new Map() })
    matcher.book.missing = missingOf(lines, "bot", accounts)
    assert.deepStrictEqual(matcher.book.missing, { BTC: "0.5" })
    const shown = toBookedAccount(matcher.book)
    const { missing } = matcher.book
    const cash = acceptMissing(matcher.book)
    assert.strictEqual(cash, "0")
    const accepted = withoutMissing(accounts, "bot", { missing, cash })
    assert.deepStrictEqual(toBookedAccount(matcher.book), shown)
    assert.deepStrictEqual(matcher.book.missing, {})
    assert.strictEqual(ownedBy(accepted, "bot")["BTC"], "1.5")
    const exit = order({ leg: "exit", side: -1, quantity: 1.5 })
    placeInBook(matcher.book, 0, exit)
    assert.deepInclude(matcher.tell(tradeOf(exit)).fills[0], { effect: "close", quantity: 1.5 })
    matcher.book.missing = { BTC: "9" }
    acceptMissing(matcher.book)
    assert.deepStrictEqual(toBookedAccount(matcher.book).positions, [])
  })

  it("have the cash of a position that was closed unseen, at its last price", () => {
    for (const side of [1, -1] as const) {
      const matcher = new Matcher({ kind: "one_way" })
      matcher.tell(tradeOf(matcher.place(order({ side, quantity: 2 }))))
      matcher.close(110)
      const before = toBookedAccount(matcher.book)
      const equity = before.cash + side * 2 * 110
      matcher.book.missing = { "BTC/USDT": "0.5" }
      const shown = toBookedAccount(matcher.book)
      assert.deepInclude(shown.positions[0], { quantity: side * 1.5 })
      assert.strictEqual(shown.cash + side * 1.5 * 110, equity)
      assert.strictEqual(acceptMissing(matcher.book), String(side * 55))
      assert.deepStrictEqual(toBookedAccount(matcher.book), shown)
      matcher.book.missing = { "BTC/USDT": "9" }
      assert.strictEqual(toBookedAccount(matcher.book).cash, equity)
      acceptMissing(matcher.book)
      assert.deepInclude(toBookedAccount(matcher.book), { cash: equity, positions: [] })
    }
  })

  it.effect("survive their stored form, and refuse data that is none", () =>
    Effect.gen(function* () {
      const matcher = new Matcher({ netting: "hedging" })
      const level = { kind: "fraction", value: 0.05 } as const
      const attached = {
        stopLoss: level,
        takeProfit: null,
        trailingStop: { distance: level, activation: null },
        breakEven: { activation: level, offsetRate: 0 }
      }
      matcher.tell(tradeOf(matcher.place(order({ attached }))))
      matcher.place(order({ leg: "exit", side: -1 }))
      const kept = JSON.parse(JSON.stringify(keptVenueBook(matcher.book)))
      assert.deepStrictEqual(yield* readVenueBook("bot", kept), matcher.book)
      const failure = yield* Effect.flip(readVenueBook("bot", { cash: "1" }))
      assert.strictEqual(failure.reason._tag, "AccountUnreadable")
    })
  )
})
