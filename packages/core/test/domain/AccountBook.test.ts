/**
 * The parts of an exchange account that bots own: exact sums, in any order, held against the
 * exchange.
 */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  AccountBook,
  adjust,
  allocate,
  bookBotTrade,
  claimsOn,
  debtWorthOf,
  priceDebt,
  type BookedTrade,
  emptyAccountBook,
  netOf,
  ownedBy,
  owedBy,
  release,
  spendableOf,
  uncoveredAllocation
} from "../../src/domain/AccountBook.ts"
import { worthOf } from "../../src/domain/AccountWorth.ts"
import { compareHoldings } from "../../src/domain/HoldingLines.ts"
import { withoutMissing } from "../../src/services/venues/books/missingHoldings.ts"
import { draws } from "../../../../test/draws.ts"

const trade = (given: Partial<BookedTrade> = {}): BookedTrade => ({
  symbol: "BTC/USDT",
  side: "buy",
  quantity: "0.3",
  price: "100.1",
  fee_amount: "0.03003",
  fee_currency: "USDT",
  ...given
})

const twoBots = allocate(allocate(emptyAccountBook, "ada", "USDT", "1000"), "bob", "USDT", "500")

const holdings = (
  balances: Readonly<Record<string, string>>,
  positions: Readonly<Record<string, string>> = {}
) => ({
  balances: new Map(Object.entries(balances)),
  positions: new Map(Object.entries(positions))
})

const lineOf = (
  book: AccountBook,
  name: string,
  held: ReturnType<typeof holdings>,
  options: Parameters<typeof compareHoldings>[2] = {}
) => compareHoldings(book, held, options).find((line) => line.name === name)

describe("AccountBook", () => {
  it("books both coins of a trade and its fee, exactly", () => {
    const book = bookBotTrade(twoBots, "ada", trade())
    assert.deepStrictEqual(ownedBy(book, "ada"), { BTC: "0.3", USDT: "969.93997" })
    assert.deepStrictEqual(ownedBy(book, "bob"), { USDT: "500" })
    const sold = bookBotTrade(book, "ada", trade({ side: "sell" }))
    assert.deepStrictEqual(ownedBy(sold, "ada"), { USDT: "999.93994" })
  })

  it("takes a fee in the coin that was bought from it, and one in a third coin from that", () => {
    const inBase = trade({ fee_amount: "0.0003", fee_currency: "BTC" })
    const inThird = trade({ fee_amount: "0.001", fee_currency: "BNB" })
    assert.deepStrictEqual(ownedBy(bookBotTrade(twoBots, "ada", inBase), "ada"), {
      BTC: "0.2997",
      USDT: "969.97"
    })
    assert.deepStrictEqual(ownedBy(bookBotTrade(twoBots, "ada", inThird), "ada"), {
      BTC: "0.3",
      USDT: "969.97"
    })
    const paid = bookBotTrade(twoBots, "ada", inThird)
    assert.deepStrictEqual(owedBy(paid, "ada"), { BNB: "0.001" })
    assert.deepStrictEqual(netOf(paid, "ada"), { BTC: "0.3", BNB: "-0.001", USDT: "969.97" })
  })

  it("owes fees in other coins for what they were worth, or for the price of now", () => {
    const fee = { fee_amount: "0.1", fee_currency: "BNB" }
    const priced = bookBotTrade(twoBots, "ada", trade({ ...fee, fee_price: "300" }))
    const owing = bookBotTrade(priced, "ada", trade(fee))
    assert.strictEqual(
      debtWorthOf(owing, "ada", () => null),
      30
    )
    assert.closeTo(
      debtWorthOf(owing, "ada", () => 1_000),
      130,
      1e-9
    )
    assert.strictEqual(
      debtWorthOf(owing, "bob", () => 1_000),
      0
    )
    const known = priceDebt(owing, "ada", "BNB", "500")
    assert.closeTo(
      debtWorthOf(known, "ada", () => 1_000),
      80,
      1e-9
    )
    assert.deepStrictEqual(priceDebt(known, "ada", "BNB", "700"), known)
    assert.strictEqual(priceDebt(known, "bob", "BNB", "500"), known)
    const old = adjust(twoBots, "bob", { name: "BNB", isPosition: false }, "-0.1")
    assert.closeTo(
      debtWorthOf(old, "bob", () => 1_000),
      100,
      1e-9
    )
  })

  it("survives JSON as it is", () => {
    const book = bookBotTrade(twoBots, "ada", trade({ fee_currency: "BNB" }))
    const back = Schema.decodeUnknownSync(AccountBook)(JSON.parse(JSON.stringify(book)))
    assert.deepStrictEqual(back, book)
  })

  it("says what no bot owns, which manual trades change alone", () => {
    const book = bookBotTrade(twoBots, "ada", trade())
    const before = lineOf(book, "BTC", holdings({ BTC: "1.3", USDT: "2000" }))
    assert.deepInclude(before, { venue: "1.3", bots: "0.3", outside: "1", mismatched: [] })
    const after = lineOf(book, "BTC", holdings({ BTC: "0.3", USDT: "2100" }))
    assert.deepInclude(after, { outside: "0", mismatched: [] })
  })

  it("names the bots of a coin of which the exchange has too little", () => {
    const book = bookBotTrade(twoBots, "ada", trade())
    const line = lineOf(book, "BTC", holdings({ BTC: "0.1", USDT: "2000" }))
    assert.deepInclude(line, { outside: "-0.2", mismatched: ["ada"] })
    assert.isUndefined(
      compareHoldings(book, holdings({ BTC: "0.1", USDT: "2000" })).find(({ mismatched }) =>
        mismatched.includes("bob")
      )
    )
  })

  it("lets less than a step be missing", () => {
    const book = bookBotTrade(twoBots, "ada", trade())
    const stepOf = () => "0.01"
    const held = (BTC: string) => holdings({ BTC, USDT: "2000" })
    assert.deepInclude(lineOf(book, "BTC", held("0.2901"), { stepOf }), { mismatched: [] })
    assert.deepInclude(lineOf(book, "BTC", held("0.29"), { stepOf }), { mismatched: ["ada"] })
  })

  it("takes a fee that the owner's coins paid for no shortage", () => {
    const book = bookBotTrade(twoBots, "ada", trade({ fee_amount: "0.1", fee_currency: "BNB" }))
    const line = lineOf(book, "BNB", holdings({ BNB: "4.9", BTC: "0.3", USDT: "2000" }))
    assert.deepInclude(line, { bots: "-0.1", outside: "5", mismatched: [] })
  })

  it("misses coins of their owner that fees of another bot have taken", () => {
    const coin = { fee_amount: "0.01", fee_currency: "BTC", symbol: "ETH/USDT" }
    const book = bookBotTrade(bookBotTrade(twoBots, "ada", trade()), "bob", trade(coin))
    const left = lineOf(book, "BTC", holdings({ BTC: "0.29", ETH: "0.3", USDT: "2000" }))
    assert.deepInclude(left, { bots: "0.29", outside: "0", lacking: "0.01", mismatched: ["ada"] })
    const paid = lineOf(book, "BTC", holdings({ BTC: "0.3", ETH: "0.3", USDT: "2000" }))
    assert.deepInclude(paid, { outside: "0.01", lacking: "0", mismatched: [] })
    assert.strictEqual(claimsOn(book, "BTC"), "0.3")
  })

  it("judges positions, long and short, where the exchange keeps positions", () => {
    const kind = "one_way"
    const long = bookBotTrade(twoBots, "ada", trade(), kind)
    const short = bookBotTrade(twoBots, "bob", trade({ side: "sell", symbol: "ETH/USDT" }), kind)
    const at = (positions: Readonly<Record<string, string>>) => holdings({ USDT: "9" }, positions)
    const judged = (book: AccountBook, name: string, position: string) =>
      lineOf(book, name, at({ [name]: position }), { kind })
    assert.deepInclude(judged(long, "BTC/USDT", "0.3"), { outside: "0", mismatched: [] })
    assert.deepInclude(judged(long, "BTC/USDT", "0.2"), { mismatched: ["ada"] })
    assert.deepInclude(judged(short, "ETH/USDT", "-0.3"), { outside: "0", mismatched: [] })
    assert.deepInclude(judged(short, "ETH/USDT", "-0.5"), { mismatched: [] })
    assert.deepInclude(judged(short, "ETH/USDT", "-0.1"), { mismatched: ["bob"] })
  })

  it("lets a bot spend its own allocation, less what its entries may take", () => {
    const book = bookBotTrade(twoBots, "ada", trade({ fee_amount: "0", quantity: "5" }))
    assert.strictEqual(spendableOf(book, "ada"), "499.5")
    assert.strictEqual(spendableOf(book, "ada", ["400", "100"]), "-0.5")
    assert.strictEqual(spendableOf(book, "bob"), "500")
    assert.strictEqual(spendableOf(book, "nobody"), "0")
  })

  it("refuses no allocation that the account covers, and says by how much another goes beyond", () => {
    const held = holdings({ USDT: "1600" })
    assert.strictEqual(uncoveredAllocation(twoBots, held, "USDT"), "0")
    assert.strictEqual(uncoveredAllocation(twoBots, held, "USDT", "100"), "0")
    assert.strictEqual(uncoveredAllocation(twoBots, held, "USDT", "100.01"), "0.01")
    const spent = bookBotTrade(twoBots, "ada", trade({ fee_amount: "0", quantity: "5" }))
    assert.strictEqual(uncoveredAllocation(spent, held, "USDT", "600"), "0")
  })

  it("gives no bot the coins that another one has bought", () => {
    const spent = bookBotTrade(twoBots, "ada", trade({ fee_amount: "0", quantity: "5" }))
    const held = holdings({ USDT: "1600", BTC: "6" })
    assert.strictEqual(uncoveredAllocation(spent, held, "BTC", "1"), "0")
    assert.strictEqual(uncoveredAllocation(spent, held, "BTC", "1.5"), "0.5")
    const sold = bookBotTrade(twoBots, "ada", trade({ fee_amount: "0", side: "sell" }))
    assert.strictEqual(uncoveredAllocation(sold, held, "BTC", "6"), "0")
  })

  it("counts the money behind positions as needed, where the exchange keeps positions", () => {
    const held = holdings({ USDT: "1600" }, { "BTC/USDT": "5" })
    const fields = { fee_amount: "0", quantity: "5" }
    const long = bookBotTrade(twoBots, "ada", trade(fields), "one_way")
    const short = bookBotTrade(twoBots, "ada", trade({ ...fields, side: "sell" }), "one_way")
    for (const book of [long, short]) {
      const beyond = (further: string, price: number | null) =>
        uncoveredAllocation(book, held, "USDT", further, () => price)
      const entry = Number(trade().price)
      assert.strictEqual(beyond("100", entry), "0")
      assert.strictEqual(beyond("101", entry), "1")
      assert.strictEqual(beyond("101", null), "1")
      // The loss of a position is gone from the account as well.
      assert.strictEqual(beyond("101", book === long ? entry / 2 : entry * 2), "1")
    }
  })

  it("values what bots own, and names the coins that have no price", () => {
    const book = bookBotTrade(twoBots, "ada", trade({ fee_amount: "0.1", fee_currency: "BNB" }))
    const priceOf = (name: string) => (name === "BTC" ? 200 : null)
    const { amount, owed, unpriced } = worthOf(book, "USDT", priceOf)
    assert.closeTo(amount, 1500 - 30.03 + 60, 1e-9)
    assert.deepStrictEqual({ owed, unpriced }, { owed: ["BNB"], unpriced: [] })
    assert.deepStrictEqual(worthOf(book, "USDT", () => null).unpriced, ["BTC"])
    assert.closeTo(worthOf(book, "USDT", priceOf, "bob").amount, 500, 1e-9)
  })

  it("makes what a bot gives up outside, and enters what its owner accepts", () => {
    const book = bookBotTrade(twoBots, "ada", trade())
    const accepted = adjust(book, "ada", { name: "BTC", isPosition: false }, "-0.2")
    assert.strictEqual(ownedBy(accepted, "ada")["BTC"], "0.1")
    const line = lineOf(release(book, "ada"), "BTC", holdings({ BTC: "0.3", USDT: "2000" }))
    assert.deepInclude(line, { bots: "0", outside: "0.3" })
  })

  it.each([
    ["buy", "-0.2", "0.1", "40"],
    ["sell", "0.2", "-0.1", "-40"]
  ] as const)("takes what is gone out of a position after a %s", (side, change, rest, cash) => {
    const symbol = "BTC/USDT"
    const book = bookBotTrade(twoBots, "ada", trade({ side, symbol }), "one_way")
    const gone = withoutMissing(book, "ada", { missing: { [symbol]: "0.2" }, cash })
    const paid = adjust(book, "ada", { name: "USDT", isPosition: false }, cash)
    const expected = adjust(paid, "ada", { name: symbol, isPosition: true }, change)
    assert.deepStrictEqual(gone, expected)
    assert.strictEqual(gone.bots["ada"]?.positions[symbol], rest)
  })

  it("owns the same whatever the order of the trades", () => {
    for (const { random } of draws("account book", 400)) {
      const trades = Array.from({ length: 12 }, () => ({
        botId: random.pick(["ada", "bob"]),
        trade: trade({
          symbol: random.pick(["BTC/USDT", "ETH/USDT"]),
          side: random.pick(["buy", "sell"]),
          quantity: (random.next() * 3).toFixed(5),
          price: (random.next() * 300).toFixed(2),
          fee_amount: (random.next() * 0.1).toFixed(8),
          fee_currency: random.pick(["USDT", "BTC", "BNB"])
        })
      }))
      const booked = (given: typeof trades) =>
        given.reduce((book, one) => bookBotTrade(book, one.botId, one.trade), twoBots)
      const shuffled = trades.map((one) => [random.next(), one] as const)
      shuffled.sort(([one], [other]) => one - other)
      assert.deepStrictEqual(booked(trades), booked(shuffled.map(([, one]) => one)))
    }
  })
})
