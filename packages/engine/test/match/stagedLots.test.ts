/**
 * Rules of a matcher that goes by stages beyond the simulator's matching: orders that are good till
 * a time, and several lots of one market.
 */
import { assert, describe, it } from "@effect/vitest"
import type { MatcherMarket } from "../../src/match/matcherRules.ts"
import { Matcher } from "../../src/match/Matcher.ts"
import type { MatcherExit } from "../../src/match/MatcherOrder.ts"

const market: MatcherMarket = {
  lot: 0,
  takerRate: 0,
  makerRate: 0,
  feePerFill: 0,
  slippageRate: 0,
  entrySpread: 0,
  leverage: 1,
  canShort: true
}

const noTags = [null]
const minute = 60_000

const order: MatcherExit = { side: 1, quantity: 1, limit: null, stop: null, expiresAfter: null }

/** A candle of market 0 between two prices, of the minute of this number. */
const candle = (nth: number, open: number, low = open, high = open) => ({
  market: 0,
  time: nth * minute,
  open,
  high,
  low,
  close: open
})

const stopAt = (value: number) => ({
  stopLoss: { kind: "price", value } as const,
  takeProfit: null,
  trailingStop: null,
  breakEven: null
})

describe("an order that is good till a time", () => {
  it("is filled by the last candle before it", () => {
    const matcher = Matcher.open(1_000, [market])
    matcher.show([candle(0, 100)])
    matcher.placeEntry(0, { ...order, limit: 90, until: 2 * minute }, null)
    matcher.show([candle(1, 100, 85)])
    assert.strictEqual(matcher.lots(0, noTags)[0]?.position.entryPrice, 90)
  })

  it("ends before the candle that opens then, market orders too", () => {
    const matcher = Matcher.open(1_000, [market])
    matcher.show([candle(0, 100)])
    matcher.placeEntry(0, { ...order, limit: 90, until: minute }, null)
    matcher.placeEntry(0, { ...order, until: minute }, null)
    matcher.show([candle(1, 100, 85)])
    assert.deepStrictEqual(
      matcher.drain(noTags).map((row) => row.kind === "ended" && [row.outcome, row.index]),
      [
        ["expired", 1],
        ["expired", 1]
      ]
    )
    assert.strictEqual(matcher.lots(0, noTags).length, 0)
  })
})

describe("several lots of one market", () => {
  /** Three lots at 100, 90 and 80, each with a stop of its own. */
  const bought = (): Matcher => {
    const matcher = Matcher.open(1_000, [market], { netting: "hedging" })
    matcher.show([candle(0, 100)])
    matcher.placeEntry(0, order, stopAt(70))
    matcher.placeEntry(0, { ...order, limit: 90 }, stopAt(60))
    matcher.placeEntry(0, { ...order, limit: 80 }, stopAt(50))
    matcher.show([candle(1, 100, 75)])
    return matcher
  }

  it("are opened beside each other", () => {
    const matcher = bought()
    assert.deepStrictEqual(
      matcher.lots(0, noTags).map(({ position }) => position.entryPrice),
      [100, 90, 80]
    )
    assert.strictEqual(matcher.cash, 730)
    assert.strictEqual(matcher.equity, 1_030)
  })

  it("leave at their own stops", () => {
    const matcher = bought()
    matcher.drain(noTags)
    matcher.show([candle(2, 100, 55)])
    assert.deepStrictEqual(
      matcher.drain(noTags).map((row) => row.kind === "closed" && [row.exitPrice, row.isLast]),
      [
        [70, false],
        [60, false]
      ]
    )
  })

  it("are reduced the oldest first, by one exit", () => {
    const matcher = bought()
    matcher.drain(noTags)
    matcher.placeExit(0, { ...order, side: -1, quantity: 1.5 }, "signal")
    matcher.show([candle(2, 110)])
    assert.deepStrictEqual(
      matcher.drain(noTags).map((row) => row.kind === "closed" && [row.quantity, row.pnl]),
      [
        [1, 10],
        [0.5, 10]
      ]
    )
    assert.deepStrictEqual(
      matcher.lots(0, noTags).map(({ position }) => position.quantity),
      [0.5, 1]
    )
  })

  it("are closed first by an entry the other way, where the oldest go first", () => {
    const matcher = Matcher.open(1_000, [market], { netting: "fifo" })
    matcher.show([candle(0, 100)])
    matcher.placeEntry(0, order, null)
    matcher.show([candle(1, 100)])
    matcher.placeEntry(0, { ...order, side: -1, quantity: 3 }, null)
    matcher.show([candle(2, 110)])
    const [lot] = matcher.lots(0, noTags)
    assert.strictEqual(lot?.position.quantity, -2)
    assert.strictEqual(matcher.equity, 1_010)
  })
})
