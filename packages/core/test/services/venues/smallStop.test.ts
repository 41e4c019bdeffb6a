/**
 * Entries whose stop a venue would refuse for being worth too little.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  leastForStop,
  refusalOfStop,
  takesCoins
} from "../../../src/services/venues/bots/smallStop.ts"
import { Matcher, order as orderOf, tradeOf } from "./books/venueFacts.ts"
import { orderAttemptRecord } from "../../../src/testing/venueRecords.ts"

const market = {
  symbol: "BTC/USDT",
  base: "BTC",
  quote: "USDT",
  quantityStep: "0.001",
  priceStep: "0.01",
  minQuantity: "0.001",
  minNotional: "10"
}

const attached = {
  stopLoss: { kind: "fraction", value: 0.1 },
  takeProfit: null,
  trailingStop: null,
  breakEven: null
} as const

const judged = (
  quantity: string,
  fields: object = {},
  capabilities: object = {},
  netting: "average" | "hedging" = "average",
  isHeld = false,
  isFeeInCoin = false
) => {
  const request = { id: "entry", leg: "entry", side: 1, attached, ...fields } as const
  const order = { ...orderAttemptRecord().order, quantity }
  const venue = { capabilities: { hasStops: true, hasReduceOnly: false, ...capabilities } }
  const matcher = new Matcher()
  if (isHeld) matcher.tell(tradeOf(matcher.place(orderOf())))
  const session = { account: matcher.own, netting, specs: [] }
  const entry = { request, order, lastPrice: "100" }
  const markets = [{ ...market, takerRate: "0.001" }]
  return refusalOfStop(entry, leastForStop(entry, { markets, venue }, session, 0, isFeeInCoin))
}

describe("an entry whose stop is worth less than the least notional", () => {
  it("is not sent where its venue would refuse the stop", () => {
    assert.strictEqual(
      judged("0.111"),
      "the order is worth 11.1, and below 11.200000000000001 the venue would refuse its stop"
    )
    assert.isNull(judged("0.112"), "ten and more at 90")
  })

  it("is sent without a stop, where stops are watched, and where they only reduce", () => {
    assert.isNull(judged("0.111", { attached: null }))
    assert.isNull(judged("0.111", { leg: "exit" }))
    assert.isNull(judged("0.111", {}, { hasStops: false }))
    assert.isNull(judged("0.111", {}, { hasReduceOnly: true }))
  })

  it("counts without the coins that its fee takes, as fees before have shown", () => {
    assert.isNotNull(judged("0.112", {}, {}, "average", false, true), "0.111 are left")
    assert.isNull(judged("0.113", {}, {}, "average", false, true))
    const matcher = new Matcher()
    const took = (fee: Parameters<typeof tradeOf>[1]) => {
      matcher.tell(tradeOf(matcher.place(orderOf()), fee))
      return takesCoins(matcher.book, 0)
    }
    assert.isFalse(takesCoins(matcher.book, 0))
    assert.isTrue(took({ fee_amount: "0.001", fee_currency: "BTC" }))
    assert.isFalse(took({ fee_amount: "0.1", fee_currency: "USDT" }))
  })

  it("is sent where it adds to a position, which has one stop", () => {
    assert.isNull(judged("0.111", {}, {}, "average", true))
    assert.isNotNull(judged("0.111", {}, {}, "hedging", true))
  })
})
