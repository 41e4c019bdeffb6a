/**
 * Entries whose fees would be taken from coins that bots own.
 */
import { assert, describe, it } from "@effect/vitest"
import { allocate, bookBotTrade, emptyAccountBook } from "../../../src/domain/AccountBook.ts"
import type { OrderAttempt, TradeFact } from "../../../src/domain/VenueAccount.ts"
import {
  emptyBounds,
  feeRateOf,
  forgetFees,
  noteFee,
  notePrice
} from "../../../src/services/venues/agent/accountBounds.ts"
import {
  brokenFeeCoin,
  type FeePayingAccount
} from "../../../src/services/venues/agent/feeCoins.ts"
import { orderAttemptRecord, tradeFactRecord } from "../../../src/testing/venueRecords.ts"

const coin = "BNB"
const priced = notePrice(notePrice(emptyBounds, "BNB/USDT", 100), "ETH/USDT", 100)

const entryOf = (symbol: string, fields: Partial<OrderAttempt> = {}) =>
  orderAttemptRecord({
    reference_price: "100",
    terms: {
      fee_rate: 0.01,
      fee_per_fill: 0,
      slippage_rate: 0,
      quantity_step: "0.001",
      price_step: "0.01",
      min_quantity: "0.001",
      min_notional: "5"
    },
    ...fields,
    order: { ...orderAttemptRecord().order, symbol, quantity: "1" }
  })

const trade = (symbol: string, fields: Partial<TradeFact> = {}) =>
  tradeFactRecord({ symbol, side: "buy", quantity: "1", price: "100", fee_amount: "0", ...fields })

const twoBots = ["ada", "bob"].reduce(
  (book, id) => allocate(book, id, "USDT", "1000"),
  emptyAccountBook
)

const holding = (symbol: string, quantity = "1") =>
  bookBotTrade(twoBots, "ada", trade(symbol, { quantity }))

const inCoin = noteFee(priced, trade("BTC/USDT", { fee_amount: "0.01", fee_currency: coin }), false)

const refused = (entry: OrderAttempt, fields: Partial<FeePayingAccount>): boolean =>
  brokenFeeCoin(entry, {
    book: twoBots,
    memory: inCoin,
    limits: {},
    open: [],
    nowMs: 0,
    outsideOf: () => 0,
    ...fields
  })?.startsWith("fee_coin: ") === true

describe("the fees that a market took", () => {
  it("are higher for a bot whose entries have paid more than others' trades", () => {
    const least = { fee_amount: "0.5", fee_currency: "USDT" }
    const traded = [
      trade("BTC/USDT", { ...least, quantity: "10", bot_id: "ada" }),
      trade("BTC/USDT", { ...least, quantity: "0.6", bot_id: "bob" })
    ]
    const memory = traded.reduce((before, one) => noteFee(before, one, true), priced)
    assert.closeTo(feeRateOf(memory, "BTC/USDT", "bob"), 0.5 / 60, 1e-12)
    assert.closeTo(feeRateOf(memory, "BTC/USDT", "ada"), 0.001, 1e-4)
    assert.strictEqual(
      feeRateOf(forgetFees(memory, "bob"), "BTC/USDT", "bob"),
      feeRateOf(memory, "BTC/USDT", "someone new")
    )
  })
})

describe("fees in a coin that bots own", () => {
  it("keep an entry back while the coins of no bot would not pay for it and its exit", () => {
    const book = holding("BNB/USDT")
    assert.isTrue(refused(entryOf("BTC/USDT"), { book, outsideOf: () => 0.0199 }))
    assert.isFalse(refused(entryOf("BTC/USDT"), { book, outsideOf: () => 0.02 }))
    assert.isFalse(refused(entryOf("BTC/USDT"), { book, memory: priced }), "no fee was in it")
  })

  it("keep back an entry in the coin while others hold what is to be sold", () => {
    const entry = entryOf("BNB/USDT")
    assert.isTrue(refused(entry, { book: holding("ETH/USDT") }))
    assert.isFalse(refused(entry, { book: holding("ETH/USDT"), outsideOf: () => 0.01 }))
    assert.isFalse(refused(entry, {}), "its own fees come out of what it trades")
  })

  it("keep back a second bot that buys the coin, whose sale the first one's coins would pay", () => {
    const sale = trade("BNB/USDT", { side: "sell", fee_amount: "0.01", fee_currency: coin })
    const memory = noteFee(priced, sale, false)
    const entry = entryOf("BNB/USDT", { bot_id: "bob" })
    const book = holding("BNB/USDT")
    assert.isTrue(refused(entry, { book, memory }))
    assert.isFalse(refused(entry, { book, memory, outsideOf: () => 0.02 }))
    assert.isFalse(refused({ ...entry, bot_id: "ada" }, { book, memory }), "its own alone")
    const bought = noteFee(memory, trade("BNB/USDT", { fee_currency: coin }), false)
    assert.deepStrictEqual(bought.fee_coins, { "BNB/USDT": coin })
  })

  it("count orders at the venue, and coins that fees took since the comparison", () => {
    const open = [entryOf("ETH/USDT", { state: "working" })]
    const book = holding("BNB/USDT")
    const outsideOf = () => 0.03
    assert.isTrue(refused(entryOf("BTC/USDT"), { book, open, outsideOf }))
    assert.isFalse(refused(entryOf("BTC/USDT"), { book, outsideOf }))
    const owing = bookBotTrade(
      book,
      "bob",
      trade("BTC/USDT", { quantity: "0.0001", fee_amount: "0.02", fee_currency: coin })
    )
    assert.isTrue(refused(entryOf("BTC/USDT"), { book: owing, outsideOf }))
    const buying = [entryOf("BNB/USDT", { state: "working" })]
    assert.isTrue(refused(entryOf("BTC/USDT"), { open: buying }))
  })

  it("hold nothing back for a coin that no bot could sell, or that no bot has", () => {
    assert.isFalse(refused(entryOf("BTC/USDT"), { book: holding("BNB/USDT", "0.04") }))
    assert.isTrue(refused(entryOf("BTC/USDT"), { book: holding("BNB/USDT", "0.06") }))
    assert.isFalse(refused(entryOf("BTC/USDT"), {}))
  })

  it("are known beforehand where the venue names their coin", () => {
    const { terms } = entryOf("BTC/USDT")
    const named = entryOf("BTC/USDT", { terms: { ...terms!, fee_coin: coin } })
    assert.isTrue(refused(named, { book: holding("BNB/USDT"), memory: priced }))
  })

  it("are learned from each market's last trade, with their worth", () => {
    const fee = { fee_amount: "0.02", fee_currency: coin, fee_price: "100" }
    const memory = noteFee(priced, trade("BTC/USDT", fee), false)
    assert.deepStrictEqual(memory.fee_coins, { "BTC/USDT": coin })
    assert.strictEqual(feeRateOf(memory, "BTC/USDT", "ada"), 0.02)
    const changed = noteFee(memory, trade("BTC/USDT", { fee_currency: "USDT" }), false)
    assert.deepStrictEqual(changed.fee_coins, {})
  })
})
