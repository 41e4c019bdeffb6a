/**
 * Rules of a desk that goes by stages beyond the simulator's matching: orders that are good till a
 * time, and several lots of one market.
 */
import { assert, describe, it } from "@effect/vitest"
import type { DeskMarket } from "../../src/match/deskRules.ts"
import { Desk } from "../../src/match/Desk.ts"
import type { DeskExit } from "../../src/match/DeskOrder.ts"

const market: DeskMarket = {
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

const order: DeskExit = { side: 1, quantity: 1, limit: null, stop: null, expiresAfter: null }

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
    const desk = Desk.open(1_000, [market])
    desk.show([candle(0, 100)])
    desk.placeEntry(0, { ...order, limit: 90, until: 2 * minute }, null)
    desk.show([candle(1, 100, 85)])
    assert.strictEqual(desk.lots(0, noTags)[0]?.position.entryPrice, 90)
  })

  it("ends before the candle that opens then, market orders too", () => {
    const desk = Desk.open(1_000, [market])
    desk.show([candle(0, 100)])
    desk.placeEntry(0, { ...order, limit: 90, until: minute }, null)
    desk.placeEntry(0, { ...order, until: minute }, null)
    desk.show([candle(1, 100, 85)])
    assert.deepStrictEqual(
      desk.drain(noTags).map((row) => row.kind === "ended" && [row.outcome, row.index]),
      [
        ["expired", 1],
        ["expired", 1]
      ]
    )
    assert.strictEqual(desk.lots(0, noTags).length, 0)
  })
})

describe("several lots of one market", () => {
  /** Three lots at 100, 90 and 80, each with a stop of its own. */
  const bought = (): Desk => {
    const desk = Desk.open(1_000, [market], { netting: "hedging" })
    desk.show([candle(0, 100)])
    desk.placeEntry(0, order, stopAt(70))
    desk.placeEntry(0, { ...order, limit: 90 }, stopAt(60))
    desk.placeEntry(0, { ...order, limit: 80 }, stopAt(50))
    desk.show([candle(1, 100, 75)])
    return desk
  }

  it("are opened beside each other", () => {
    const desk = bought()
    assert.deepStrictEqual(
      desk.lots(0, noTags).map(({ position }) => position.entryPrice),
      [100, 90, 80]
    )
    assert.strictEqual(desk.cash, 730)
    assert.strictEqual(desk.equity, 1_030)
  })

  it("leave at their own stops", () => {
    const desk = bought()
    desk.drain(noTags)
    desk.show([candle(2, 100, 55)])
    assert.deepStrictEqual(
      desk.drain(noTags).map((row) => row.kind === "closed" && [row.exitPrice, row.isLast]),
      [
        [70, false],
        [60, false]
      ]
    )
  })

  it("are reduced the oldest first, by one exit", () => {
    const desk = bought()
    desk.drain(noTags)
    desk.placeExit(0, { ...order, side: -1, quantity: 1.5 }, "signal")
    desk.show([candle(2, 110)])
    assert.deepStrictEqual(
      desk.drain(noTags).map((row) => row.kind === "closed" && [row.quantity, row.pnl]),
      [
        [1, 10],
        [0.5, 10]
      ]
    )
    assert.deepStrictEqual(
      desk.lots(0, noTags).map(({ position }) => position.quantity),
      [0.5, 1]
    )
  })

  it("are closed first by an entry the other way, where the oldest go first", () => {
    const desk = Desk.open(1_000, [market], { netting: "fifo" })
    desk.show([candle(0, 100)])
    desk.placeEntry(0, order, null)
    desk.show([candle(1, 100)])
    desk.placeEntry(0, { ...order, side: -1, quantity: 3 }, null)
    desk.show([candle(2, 110)])
    const [lot] = desk.lots(0, noTags)
    assert.strictEqual(lot?.position.quantity, -2)
    assert.strictEqual(desk.equity, 1_010)
  })
})
