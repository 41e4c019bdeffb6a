/**
 * Positions that grow and shrink on a matcher that goes by stages. They have merged entries,
 * additions, groups, limits for one open, and exits of a lot by its id.
 */
import { assert, describe, it } from "@effect/vitest"
import { Matcher } from "../../src/match/Matcher.ts"
import {
  addition,
  candle,
  held,
  market,
  noExits,
  noTags,
  order,
  part,
  told
} from "./heldMatcher.ts"

describe("an entry of a side that is held, where lots have an average", () => {
  it("is merged: quantities and fees add up, the price is the average", () => {
    const matcher = held(null, "average", { ...market, feePerFill: 1 })
    const id = matcher.placeEntry(0, { ...addition, quantity: 3, limit: 80 }, null)
    matcher.show([candle(2, 100, 75)])
    const [lot, ...others] = matcher.lots(0, noTags)
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(lot?.position, {
      quantity: 4,
      entryPrice: 85,
      entryIndex: 1,
      entryTime: 60_000,
      entryFees: 2
    })
    const [row] = matcher.drain(noTags)
    assert.deepStrictEqual(row, {
      kind: "opened",
      market: 0,
      lotId: 1,
      orderId: id,
      tag: null,
      tagNumber: 0,
      direction: 1,
      quantity: 3,
      price: 80,
      fee: 1,
      index: 2,
      time: 120_000,
      isFirst: false
    })
  })

  it("derives stop and target from the average, live from the next candle", () => {
    const exits = { ...noExits, stopLoss: part(0.3), takeProfit: part(0.1) }
    const matcher = held(exits)
    matcher.placeEntry(0, { ...addition, limit: 80 }, exits)
    // The addition fills at 80; the new target of 99 lies inside this candle.
    matcher.show([candle(2, 82, 80, 105)])
    assert.strictEqual(matcher.lots(0, noTags)[0]?.position.entryPrice, 90)
    assert.closeTo(matcher.lots(0, noTags)[0]!.stopLoss!, 63, 1e-9)
    assert.closeTo(matcher.lots(0, noTags)[0]!.takeProfit!, 99, 1e-9)
    matcher.drain(noTags)
    matcher.show([candle(3, 95, 95, 99.5)])
    assert.deepStrictEqual(told(matcher.drain(noTags)), [["take_profit", 1, 2, 90 * 1.1]])
  })

  it("never lets a stop fall back that has trailed or come to the entry", () => {
    const trailing = { ...noExits, trailingStop: { distance: part(0.1), activation: null } }
    const matcher = held(trailing)
    matcher.show([candle(2, 100, 100, 120)])
    assert.strictEqual(matcher.lots(0, noTags)[0]?.stopLoss, 108)
    matcher.placeEntry(0, { ...addition, limit: 110 }, { ...trailing, stopLoss: part(0.5) })
    matcher.show([candle(3, 112, 110)])
    assert.strictEqual(matcher.lots(0, noTags)[0]?.position.entryPrice, 105)
    assert.strictEqual(matcher.lots(0, noTags)[0]?.stopLoss, 108)
    matcher.drain(noTags)
    matcher.show([candle(4, 112, 107)])
    assert.deepStrictEqual(told(matcher.drain(noTags)), [["trailing_stop", 1, 2, 108]])
  })

  it("moves the target without hiding the orders that were placed after it", () => {
    const exits = { ...noExits, takeProfit: part(0.5) }
    const matcher = held(exits)
    const ids = [90, 80, 70].map((limit) => matcher.placeEntry(0, { ...addition, limit }, exits))
    matcher.show([candle(2, 100, 65)])
    assert.deepStrictEqual(
      matcher.drain(noTags).map((row) => row.kind === "opened" && row.orderId),
      ids
    )
    const later = [60, 50].map((limit) => matcher.placeEntry(0, { ...addition, limit }, exits))
    matcher.show([candle(3, 65, 45)])
    assert.deepStrictEqual(
      matcher.drain(noTags).map((row) => row.kind === "opened" && row.orderId),
      later
    )
  })

  it("leaves exits alone that it does not bring", () => {
    const matcher = held({ ...noExits, stopLoss: part(0.5) })
    matcher.placeEntry(0, { ...addition, limit: 80 }, null)
    matcher.show([candle(2, 82, 80)])
    assert.strictEqual(matcher.lots(0, noTags)[0]?.stopLoss, 50)
  })

  it("is refused where the other side is held", () => {
    const matcher = held(null)
    const id = matcher.placeEntry(0, { ...order, side: -1 }, null)
    matcher.show([candle(2, 100)])
    assert.deepStrictEqual(told(matcher.drain(noTags)), [["rejected", id, "a position is open"]])
  })
})

describe("an addition", () => {
  it("ends with the position that it adds to, as exits of it do", () => {
    const matcher = held(null)
    const added = matcher.placeEntry(0, { ...addition, limit: 80 }, null)
    const limited = { ...addition, side: -1, limit: 130 } as const
    const target = matcher.placeExit(0, limited, "signal")
    const base = matcher.placeEntry(0, { ...order, limit: 60 }, null)
    const exit = matcher.placeExit(0, { ...order, side: -1 }, "signal")
    matcher.show([candle(2, 100)])
    assert.deepStrictEqual(told(matcher.drain(noTags)), [
      ["signal", 1, 1, 100],
      ["cancelled", added, "the position that it adds to is closed"],
      ["cancelled", target, "there is no position to reduce"]
    ])
    assert.deepStrictEqual(
      matcher.resting(0).map(({ id }) => id),
      [base]
    )
    assert.isAbove(exit, base)
  })

  it("is not filled where nothing of its side is held", () => {
    const matcher = Matcher.open(1_000, [market], { netting: "average" })
    matcher.show([candle(0, 100)])
    const id = matcher.placeEntry(0, { ...addition, limit: 90 }, null)
    matcher.show([candle(1, 100, 85)])
    assert.deepStrictEqual(told(matcher.drain(noTags)), [
      ["cancelled", id, "the position that it adds to is closed"]
    ])
  })

  it("fills before the stop where its limit lies between the open and the stop", () => {
    const matcher = held({ ...noExits, stopLoss: part(0.2) })
    const near = matcher.placeEntry(0, { ...addition, limit: 90 }, null)
    const far = matcher.placeEntry(0, { ...addition, limit: 70 }, null)
    matcher.show([candle(2, 100, 60)])
    assert.deepStrictEqual(told(matcher.drain(noTags)), [
      ["opened", near, 1, 90],
      ["stop_loss", 1, 2, 80],
      ["cancelled", far, "the position that it adds to is closed"]
    ])
  })

  it("ends where the open has passed the stop", () => {
    const matcher = held({ ...noExits, stopLoss: part(0.2) })
    const id = matcher.placeEntry(0, { ...addition, limit: 90 }, null)
    matcher.show([candle(2, 75, 60)])
    assert.deepStrictEqual(told(matcher.drain(noTags)), [
      ["stop_loss", 1, 1, 75],
      ["cancelled", id, "the position that it adds to is closed"]
    ])
  })

  it("ends where the candle reaches the target too", () => {
    const matcher = held({ ...noExits, takeProfit: part(0.1) })
    const id = matcher.placeEntry(0, { ...addition, limit: 90 }, null)
    matcher.show([candle(2, 100, 85, 115)])
    assert.deepStrictEqual(told(matcher.drain(noTags)), [
      ["take_profit", 1, 1, 100 * 1.1],
      ["cancelled", id, "the position that it adds to is closed"]
    ])
  })

  it("brings a liquidation nearer that comes after it", () => {
    const spec = { ...market, leverage: 20 }
    const matcher = Matcher.open(100, [spec], { netting: "average" })
    matcher.show([candle(0, 100)])
    matcher.placeEntry(0, { ...order, quantity: 5 }, null)
    matcher.show([candle(1, 100)])
    const id = matcher.placeEntry(0, { ...addition, quantity: 5, limit: 90 }, null)
    matcher.drain(noTags)
    // Alone, the first entry would be liquidated at 80.
    matcher.show([candle(2, 100, 79)])
    const [added, closed] = told(matcher.drain(noTags))
    assert.deepStrictEqual(added, ["opened", id, 5, 90])
    assert.deepStrictEqual(closed, ["liquidation", 1, 10, 85])
    assert.strictEqual(matcher.cash, 0)
  })

  it("opens a lot of its own where lots are separate", () => {
    const matcher = held({ ...noExits, stopLoss: part(0.2) }, "hedging")
    const id = matcher.placeEntry(
      0,
      { ...addition, limit: 90 },
      { ...noExits, stopLoss: part(0.1) }
    )
    matcher.show([candle(2, 100, 79)])
    assert.deepStrictEqual(told(matcher.drain(noTags)), [
      ["opened", id, 1, 90],
      ["stop_loss", 1, 1, 80]
    ])
    assert.strictEqual(matcher.lots(0, noTags)[0]?.stopLoss, 81)
  })
})

describe("a limit for the next open", () => {
  it("fills there, at the open", () => {
    const matcher = Matcher.open(1_000, [market])
    matcher.show([candle(0, 100)])
    const id = matcher.placeEntry(0, { ...order, limit: 101, isImmediate: true }, null)
    matcher.show([candle(1, 99, 98)])
    assert.deepStrictEqual(told(matcher.drain(noTags)), [["opened", id, 1, 99]])
  })

  it("ends where the open is beyond it, wherever the candle goes", () => {
    const matcher = Matcher.open(1_000, [market])
    matcher.show([candle(0, 100)])
    const id = matcher.placeEntry(0, { ...order, limit: 99, isImmediate: true }, null)
    matcher.show([candle(1, 100, 90)])
    assert.deepStrictEqual(told(matcher.drain(noTags)), [
      ["expired", id, "it was not filled in time"]
    ])
  })

  it("waits for no further candle with the rest of an exit", () => {
    const matcher = held(null, "average", { ...market, volumeShare: { max: 0.5, slippageRate: 0 } })
    const id = matcher.placeExit(0, { ...order, side: -1, limit: 90, isImmediate: true }, "signal")
    matcher.show([{ ...candle(2, 100), volume: 1 }])
    assert.deepStrictEqual(told(matcher.drain(noTags)), [
      ["cancelled", id, "there is not enough volume for the rest"],
      ["signal", 1, 0.5, 100]
    ])
  })
})

describe("a group of orders", () => {
  it("ends with the first that is filled, entries as exits", () => {
    const matcher = held(null, "hedging")
    const up = matcher.placeEntry(0, { ...order, stop: 110, groupId: 1 }, null)
    const down = matcher.placeEntry(0, { ...order, side: -1, stop: 90, groupId: 1 }, null)
    const high = matcher.placeExit(0, { ...order, side: -1, limit: 120, groupId: 2 }, "signal")
    const low = matcher.placeExit(0, { ...order, side: -1, stop: 80, groupId: 2 }, "signal")
    matcher.show([candle(2, 100, 95, 112)])
    matcher.show([candle(3, 110, 110, 121)])
    assert.deepStrictEqual(told(matcher.drain(noTags)), [
      ["cancelled", down, "another of its group was filled"],
      ["opened", up, 1, 110],
      ["cancelled", low, "another of its group was filled"],
      ["signal", 1, 1, 120]
    ])
    assert.isAbove(low, high)
  })
})

describe("a lot by its id", () => {
  const two = (): { readonly matcher: Matcher; readonly second: number } => {
    const matcher = held(null, "hedging")
    const second = matcher.placeEntry(0, { ...order, limit: 90, tagNumber: 7 }, null)
    matcher.show([candle(2, 100, 85)])
    matcher.drain(noTags)
    return { matcher, second }
  }

  it("is reduced alone, and tells the number that its entry was given", () => {
    const { matcher, second } = two()
    matcher.placeExit(
      0,
      { ...order, side: -1, quantity: 0.4, lotId: second, tagNumber: 9 },
      "signal"
    )
    matcher.show([candle(3, 110)])
    const [row] = matcher.drain(noTags)
    assert.deepInclude(row, { kind: "closed", lotId: second, quantity: 0.4, tagNumber: 7 })
    assert.deepStrictEqual(
      matcher.lots(0, noTags).map(({ position, tagNumber }) => [position.quantity, tagNumber]),
      [
        [1, 0],
        [0.6, 7]
      ]
    )
  })

  it("ends the exits that name it where another closes it", () => {
    const { matcher, second } = two()
    const id = matcher.placeExit(0, { ...order, side: -1, limit: 150, lotId: second }, "signal")
    matcher.placeExit(0, { ...order, side: -1, lotId: second }, "signal")
    matcher.show([candle(3, 110)])
    assert.deepStrictEqual(told(matcher.drain(noTags)), [
      ["signal", second, 1, 110],
      ["cancelled", id, "there is no position to reduce"]
    ])
    assert.strictEqual(matcher.heldQuantity(0), 1)
  })

  it("that is not open refuses an exit of it", () => {
    const { matcher } = two()
    const id = matcher.placeExit(0, { ...order, side: -1, lotId: 99 }, "signal")
    assert.deepStrictEqual(told(matcher.drain(noTags)), [
      ["rejected", id, "there is no position to reduce"]
    ])
    assert.deepStrictEqual(matcher.resting(0), [])
  })

  it("is protected alone", () => {
    const { matcher, second } = two()
    matcher.protectLot(0, second, { stop: 80, target: 120 })
    assert.deepStrictEqual(
      matcher.lots(0, noTags).map(({ stopLoss, takeProfit }) => [stopLoss, takeProfit]),
      [
        [null, null],
        [80, 120]
      ]
    )
    matcher.protectLot(0, second, { stop: null })
    assert.strictEqual(matcher.lots(0, noTags)[1]?.stopLoss, null)
    assert.strictEqual(matcher.lots(0, noTags)[1]?.takeProfit, 120)
  })
})

describe("lots of both sides", () => {
  it("are liquidated where the price goes against the larger side", () => {
    const matcher = Matcher.open(100, [{ ...market, leverage: 20 }], { netting: "hedging" })
    matcher.show([candle(0, 100)])
    matcher.placeEntry(0, { ...order, quantity: 6 }, null)
    matcher.placeEntry(0, { ...order, side: -1, quantity: 1 }, null)
    matcher.show([candle(1, 100, 99, 101)])
    assert.strictEqual(matcher.lots(0, noTags).length, 2)
    matcher.drain(noTags)
    matcher.show([candle(2, 100, 79)])
    assert.deepStrictEqual(told(matcher.drain(noTags)), [
      ["liquidation", 1, 6, 80],
      ["liquidation", 2, 1, 80]
    ])
  })
})
