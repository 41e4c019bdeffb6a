/**
 * The order of fills inside a candle on a matcher that goes by stages. It covers additions and
 * exits, the entries of a group, and an exit that the open has passed.
 */
import { assert, describe, it } from "@effect/vitest"
import { Matcher } from "../../src/match/Matcher.ts"
import type { MatcherExit } from "../../src/match/MatcherOrder.ts"
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

describe("an addition with a stop price", () => {
  it("fills at the open that has passed its stop, before an exit inside the candle", () => {
    for (const [exits, low, high, reason, price] of [
      [{ ...noExits, stopLoss: part(0.05) }, 94, 104, "stop_loss", 95],
      [{ ...noExits, takeProfit: part(0.05) }, 103, 106, "take_profit", 105]
    ] as const) {
      const matcher = held(exits)
      const id = matcher.placeEntry(0, { ...addition, quantity: 3, stop: 102 }, exits)
      matcher.show([candle(2, 103, low, high, low)])
      assert.deepStrictEqual(told(matcher.drain(noTags)), [
        ["opened", id, 3, 103],
        [reason, 1, 4, price]
      ])
    }
  })

  it("ends where the open has passed its stop and the target", () => {
    const exits = { ...noExits, takeProfit: part(0.05) }
    const matcher = held(exits)
    const id = matcher.placeEntry(0, { ...addition, stop: 102 }, exits)
    matcher.show([candle(2, 106, 95)])
    assert.deepStrictEqual(told(matcher.drain(noTags)), [
      ["take_profit", 1, 1, 106],
      ["cancelled", id, "the position that it adds to is closed"]
    ])
  })

  it("fills before a target beyond its stop, and not before the stop of the position", () => {
    const exits = { ...noExits, takeProfit: part(0.05) }
    const rising = held(exits)
    const first = rising.placeEntry(0, { ...addition, quantity: 3, stop: 102 }, exits)
    rising.show([candle(2, 100, 100, 106)])
    assert.deepStrictEqual(told(rising.drain(noTags)), [
      ["opened", first, 3, 102],
      ["take_profit", 1, 4, 105]
    ])
    const reduced = held(null)
    reduced.placeExit(0, { ...addition, side: -1, limit: 105 }, "signal")
    const second = reduced.placeEntry(0, { ...addition, stop: 102 }, null)
    reduced.show([candle(2, 100, 100, 106)])
    assert.deepStrictEqual(told(reduced.drain(noTags)), [
      ["opened", second, 1, 102],
      ["signal", 1, 1, 105]
    ])
    const stopped = held({ ...noExits, stopLoss: part(0.05) })
    const third = stopped.placeEntry(0, { ...addition, stop: 102 }, null)
    stopped.show([candle(2, 100, 94, 103)])
    assert.deepStrictEqual(told(stopped.drain(noTags)), [
      ["stop_loss", 1, 1, 95],
      ["cancelled", third, "the position that it adds to is closed"]
    ])
  })

  it("brings a liquidation nearer before a target too", () => {
    const matcher = Matcher.open(100, [{ ...market, leverage: 20 }], { netting: "average" })
    const exits = { ...noExits, takeProfit: part(0.05) }
    matcher.show([candle(0, 100)])
    matcher.placeEntry(0, { ...order, quantity: 5 }, exits)
    matcher.show([candle(1, 100)])
    matcher.placeEntry(0, { ...addition, quantity: 5, stop: 102 }, exits)
    matcher.drain(noTags)
    // Alone, the first entry would be liquidated at 80.
    matcher.show([candle(2, 100, 90, 106)])
    assert.deepStrictEqual(told(matcher.drain(noTags))[1], ["liquidation", 1, 10, 91])
  })
})

describe("a group of entries", () => {
  it("fills the entry that the price comes by first", () => {
    const limits = [{ limit: 95 }, { limit: 98 }]
    const stops = [{ stop: 105 }, { stop: 102 }]
    const both = [{ limit: 98 }, { stop: 102 }]
    const limited = { stop: 102, limit: 103 }
    const one = (
      levels: ReadonlyArray<Partial<MatcherExit>>,
      open: number,
      range: [number, number]
    ) => {
      const matcher = Matcher.open(1_000, [market], { netting: "average" })
      matcher.show([candle(0, 100)])
      for (const level of levels) matcher.placeEntry(0, { ...order, ...level, groupId: 1 }, null)
      matcher.show([candle(1, open, ...range)])
      const [price] = matcher.lots(0, noTags).map(({ position }) => position.entryPrice)
      return [price, matcher.ambiguousCount]
    }
    assert.deepStrictEqual(one(limits, 100, [94, 101]), [98, 0])
    assert.deepStrictEqual(one(stops, 100, [99, 110]), [102, 0])
    assert.deepStrictEqual(one(both, 103, [95, 105]), [103, 0])
    assert.deepStrictEqual(one(both.toReversed(), 95, [94, 105]), [95, 0])
    assert.deepStrictEqual(one(limits, 94, [93, 101]), [94, 0])
    assert.deepStrictEqual(one([{ stop: 105 }, limited], 100, [99, 110]), [102, 0])
    // Nothing tells which side was first.
    assert.deepStrictEqual(one(both, 100, [95, 105]), [98, 1])
    assert.deepStrictEqual(one(both.toReversed(), 100, [95, 105]), [102, 1])
  })

  it("fills another where the first is refused", () => {
    const matcher = Matcher.open(1_000, [{ ...market, canShort: false }], { netting: "average" })
    matcher.show([candle(0, 100)])
    matcher.placeEntry(0, { ...order, limit: 95, groupId: 1 }, null)
    const id = matcher.placeEntry(0, { ...order, side: -1, stop: 98, groupId: 1 }, null)
    matcher.show([candle(1, 100, 94)])
    assert.deepStrictEqual(
      told(matcher.drain(noTags)).map(([what, which]) => [what, which]),
      [
        ["rejected", id],
        ["opened", 1]
      ]
    )
  })
})

describe("an addition with a limit", () => {
  const targeted = { ...noExits, takeProfit: part(0.05) }

  it("fills at the open that has passed its price, before a target inside the candle", () => {
    const matcher = held(targeted)
    const id = matcher.placeEntry(0, { ...addition, quantity: 3, limit: 98 }, targeted)
    matcher.show([candle(2, 96, 96, 106)])
    assert.deepStrictEqual(told(matcher.drain(noTags)), [
      ["opened", id, 3, 96],
      ["take_profit", 1, 4, 105]
    ])
    const reduced = held(null)
    reduced.placeExit(0, { ...addition, side: -1, limit: 105 }, "take_profit")
    const second = reduced.placeEntry(0, { ...addition, limit: 98 }, null)
    reduced.show([candle(2, 96, 96, 106)])
    assert.deepStrictEqual(told(reduced.drain(noTags)), [
      ["opened", second, 1, 96],
      ["take_profit", 1, 1, 105]
    ])
  })

  it("comes after the target where the candle reaches its price inside", () => {
    const matcher = held(targeted)
    const id = matcher.placeEntry(0, { ...addition, limit: 98 }, targeted)
    matcher.show([candle(2, 100, 96, 106)])
    assert.deepStrictEqual(told(matcher.drain(noTags)), [
      ["take_profit", 1, 1, 105],
      ["cancelled", id, "the position that it adds to is closed"]
    ])
  })
})

describe("a candle that reaches a stop addition and the protective stop", () => {
  const stopped = { ...noExits, stopLoss: part(0.05) }

  it("is ambiguous where it ends the position, once", () => {
    const matcher = held({ ...stopped, takeProfit: part(0.1) })
    matcher.placeEntry(0, { ...addition, stop: 102 }, null)
    matcher.placeEntry(0, { ...addition, stop: 103 }, null)
    matcher.show([candle(2, 100, 94, 104)])
    assert.strictEqual(matcher.ambiguousCount, 1)
    const both = held({ ...stopped, takeProfit: part(0.03) })
    both.placeEntry(0, { ...addition, stop: 102 }, null)
    both.show([candle(2, 100, 94, 104)])
    assert.strictEqual(both.ambiguousCount, 1)
  })

  it("is certain where only one of them is reached, or the open has passed one", () => {
    for (const [open, low, high] of [
      [100, 94, 101],
      [100, 96, 104],
      [94, 93, 104],
      [102, 94, 104]
    ] as const) {
      const matcher = held(stopped)
      matcher.placeEntry(0, { ...addition, stop: 102 }, null)
      matcher.show([candle(2, open, low, high)])
      assert.strictEqual(matcher.ambiguousCount, 0, `${open} ${low} ${high}`)
    }
  })

  it("is certain where another lot is left to add to", () => {
    const matcher = held(stopped, "hedging")
    matcher.placeEntry(0, order, null)
    matcher.show([candle(2, 100)])
    matcher.placeEntry(0, { ...addition, stop: 102 }, null)
    matcher.show([candle(3, 100, 94, 104)])
    assert.strictEqual(matcher.ambiguousCount, 0)
  })
})

describe("a limit exit that the open has passed", () => {
  it("fills there, before the stop inside the candle", () => {
    const matcher = held({ ...noExits, stopLoss: part(0.05) })
    matcher.placeExit(0, { ...addition, side: -1, quantity: 0.4, limit: 103 }, "take_profit")
    matcher.show([candle(2, 104, 94)])
    assert.deepStrictEqual(told(matcher.drain(noTags)), [
      ["take_profit", 1, 0.4, 104],
      ["stop_loss", 1, 0.6, 95]
    ])
  })

  it("waits for the next candle with the rest that the volume leaves", () => {
    const matcher = held(null, "average", { ...market, volumeShare: { max: 0.1, slippageRate: 0 } })
    matcher.placeExit(0, { ...addition, side: -1, limit: 103 }, "take_profit")
    matcher.show([{ ...candle(2, 104, 94), volume: 4 }])
    assert.deepStrictEqual(told(matcher.drain(noTags)), [["take_profit", 1, 0.4, 104]])
  })

  it("comes after a lot whose stop the open has passed as well", () => {
    const matcher = held({ ...noExits, stopLoss: part(0.05) })
    matcher.placeExit(0, { ...addition, side: -1, quantity: 0.4, limit: 90 }, "take_profit")
    matcher.show([candle(2, 94, 93)])
    assert.deepStrictEqual(told(matcher.drain(noTags))[0], ["stop_loss", 1, 1, 94])
  })
})

describe("exits on one side of the open", () => {
  const exit = { ...addition, side: -1, quantity: 0.25 } as const
  const target = { ...noExits, takeProfit: { kind: "price", value: 110 } } as const
  const rows = (matcher: Matcher) =>
    told(matcher.drain(noTags)).filter(([what]) => what !== "cancelled")

  it("fill at the open that has passed them, a stop too", () => {
    for (const level of [
      { stop: 96, limit: null },
      { stop: 96, limit: 90 }
    ]) {
      const matcher = held(target)
      matcher.placeExit(0, { ...exit, ...level }, "signal")
      matcher.show([candle(2, 95, 95, 112)])
      assert.deepStrictEqual(rows(matcher), [
        ["signal", 1, 0.25, 95],
        ["take_profit", 1, 0.75, 110]
      ])
      assert.strictEqual(matcher.ambiguousCount, 0)
    }
  })

  it("fill the nearest to the open first, of orders and of the lot", () => {
    const rising = held(target)
    rising.placeExit(0, { ...exit, limit: 107 }, "signal")
    rising.placeExit(0, { ...exit, limit: 105 }, "time_limit")
    rising.show([candle(2, 100, 100, 112)])
    assert.deepStrictEqual(rows(rising), [
      ["time_limit", 1, 0.25, 105],
      ["signal", 1, 0.25, 107],
      ["take_profit", 1, 0.5, 110]
    ])
    const falling = held({ ...noExits, stopLoss: part(0.1) })
    falling.placeExit(0, { ...exit, stop: 92 }, "signal")
    falling.placeExit(0, { ...exit, stop: 95 }, "time_limit")
    falling.show([candle(2, 100, 88, 100)])
    assert.deepStrictEqual(rows(falling), [
      ["time_limit", 1, 0.25, 95],
      ["signal", 1, 0.25, 92],
      ["stop_loss", 1, 0.5, 90]
    ])
    assert.strictEqual(rising.ambiguousCount + falling.ambiguousCount, 0)
  })

  it("leave a liquidation where the rest of the position has none", () => {
    const matcher = Matcher.open(100, [{ ...market, leverage: 20 }], { netting: "average" })
    matcher.show([candle(0, 100)])
    matcher.placeEntry(0, { ...order, quantity: 10 }, null)
    matcher.show([candle(1, 100)])
    matcher.placeExit(0, { ...exit, quantity: 5, stop: 95 }, "signal")
    matcher.drain(noTags)
    // All ten units would be liquidated at 90, the five that are left at 85.
    matcher.show([candle(2, 100, 88)])
    assert.deepStrictEqual(rows(matcher), [["signal", 1, 5, 95]])
  })
})

describe("exits on both sides of the open", () => {
  const exit = { ...addition, side: -1 } as const
  const shown = (matcher: Matcher) => {
    matcher.show([candle(2, 100, 89, 111)])
    const rows = told(matcher.drain(noTags)).filter(([what]) => typeof what === "string")
    return [rows.filter((row) => row.length === 4), matcher.ambiguousCount]
  }

  it("fill on the losing side, and the candle is ambiguous", () => {
    for (const netting of ["average", "hedging"] as const) {
      const [stop, limit] = [
        { ...exit, stop: 90 },
        { ...exit, limit: 110 }
      ]
      const both = held(null, netting)
      both.placeExit(0, limit, "signal")
      both.placeExit(0, stop, "time_limit")
      assert.deepStrictEqual(shown(both), [[["time_limit", 1, 1, 90]], 1])
      const targeted = held({ ...noExits, takeProfit: part(0.1) }, netting)
      targeted.placeExit(0, stop, "time_limit")
      assert.deepStrictEqual(shown(targeted), [[["time_limit", 1, 1, 90]], 1])
      const stopped = held({ ...noExits, stopLoss: part(0.1) }, netting)
      stopped.placeExit(0, limit, "signal")
      assert.deepStrictEqual(shown(stopped), [[["stop_loss", 1, 1, 90]], 1])
    }
  })

  it("are ambiguous in a group, and certain where each has a part of its own", () => {
    for (const groupId of [1, undefined]) {
      const matcher = held(null)
      const grouped = { ...exit, quantity: 0.5, ...(groupId !== undefined && { groupId }) }
      matcher.placeExit(0, { ...grouped, limit: 110 }, "signal")
      matcher.placeExit(0, { ...grouped, stop: 90 }, "time_limit")
      const first = ["time_limit", 1, 0.5, 90]
      const second = ["signal", 1, 0.5, 110]
      const expected = groupId === 1 ? [[first], 1] : [[first, second], 0]
      assert.deepStrictEqual(shown(matcher), expected)
    }
  })
})
