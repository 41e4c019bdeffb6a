/**
 * Direct orders: they fill at once, at a price of their own, and net with the position. By hand,
 * and in both forms of the matcher after each of many drawn operations.
 */
import { assert, describe, it } from "@effect/vitest"
import { draws } from "../../../../test/draws.ts"
import type { Random } from "../../src/kernel/random.ts"
import { makeBlock } from "../../src/match/matcherBlock.ts"
import type { DirectOrder } from "../../src/match/DirectMatcher.ts"
import * as layout from "../../src/match/matcherLayout.ts"
import { Matcher } from "../../src/match/Matcher.ts"
import { type FormDeed, MatcherForms } from "./matcherForms.ts"
import { market, noTags } from "./heldMatcher.ts"

const column = (...prices: ReadonlyArray<number>) => Float64Array.from(prices)

/** Three candles; the second spans 8 to 12. */
const candles = {
  time: column(0, 60_000, 120_000),
  open: column(10, 10, 10),
  high: column(10, 12, 10),
  low: column(10, 8, 10),
  close: column(10, 11, 10)
}

const buy: DirectOrder = {
  side: 1,
  effect: "through",
  size: 1,
  isFraction: false,
  price: 10,
  isMaker: true,
  least: 0,
  most: Infinity,
  reason: "signal"
}
const sell: DirectOrder = { ...buy, side: -1 }
const all = { size: 1, isFraction: true }

const open = (
  terms: Partial<typeof market> & { readonly tick?: number } = {},
  shortfall: "cut" | "drop" = "cut"
): Matcher => {
  const matcher = Matcher.open(1_000, [{ ...market, ...terms }], { netting: "average", shortfall })
  matcher.lookAt(0, candles, 0)
  return matcher
}

describe("a direct order", () => {
  it("opens at its price, adds to the position at an average, and takes from it", () => {
    const matcher = open()
    assert.deepInclude(matcher.fillNow(0, buy), {
      quantity: 1,
      price: 10,
      opening: "lot",
      closing: null
    })
    const added = matcher.fillNow(0, { ...buy, size: 3, price: 14 })
    assert.deepInclude(added, { quantity: 3, opening: "addition" })
    assert.strictEqual(matcher.lots(0, noTags)[0]?.position.entryPrice, 13)
    const taken = matcher.fillNow(0, { ...sell, effect: "reduce", size: 3, price: 15 })
    assert.deepInclude(taken?.closing, { quantity: 3, pnl: 6, isWhole: false })
    assert.deepStrictEqual([matcher.cash, matcher.heldQuantity(0)], [1_000 - 10 - 42 + 45, 1])
  })

  it("turns a position in one order with one fee, which its parts share", () => {
    const matcher = open({ feePerFill: 4 })
    matcher.fillNow(0, { ...buy, size: 10 })
    const turned = matcher.fillNow(0, { ...sell, size: 40, price: 12 })
    assert.deepInclude(turned, { quantity: 40, price: 12, fee: 4, opening: "lot" })
    assert.deepInclude(turned?.closing, { direction: 1, quantity: 10, fees: 4 + 1, pnl: 20 - 5 })
    const { position } = matcher.lots(0, noTags)[0]!
    assert.deepInclude(position, { quantity: -30, entryPrice: 12, entryFees: 3 })
    assert.strictEqual(matcher.feesPaid, 8)
  })

  it("reduces a position by no more than is held, closes all of it, or turns it over", () => {
    const against = (effect: DirectOrder["effect"]) => {
      const matcher = open()
      matcher.fillNow(0, { ...buy, size: 3 })
      matcher.fillNow(0, { ...sell, effect, size: 5 })
      return matcher.heldQuantity(0)
    }
    const effects = ["through", "reduce", "close", "turn"] as const
    assert.deepStrictEqual(effects.map(against), [-2, 0, 0, -5])
  })

  it("takes a fraction of cash to open, of the position to reduce, of free cash to short", () => {
    const matcher = open({ takerRate: 0.25, makerRate: 0.25 })
    assert.strictEqual(matcher.fillNow(0, { ...buy, size: 0.5, isFraction: true })?.quantity, 40)
    assert.strictEqual(matcher.fillNow(0, { ...sell, size: 0.25, isFraction: true })?.quantity, 10)
    const short = open()
    assert.strictEqual(short.fillNow(0, { ...sell, size: 0.5, isFraction: true })?.quantity, 50)
    // 1 500 of cash, less twice the 500 of the sale, are free.
    assert.strictEqual(short.fillNow(0, { ...sell, ...all })?.quantity, 50)
  })

  it("turns over with a fraction of the cash that closing leaves", () => {
    const matcher = open({ feePerFill: 100 })
    matcher.fillNow(0, { ...buy, size: 50 })
    // 400 of cash and 500 of the sale, less its fee, are 80 units at 10.
    assert.strictEqual(matcher.fillNow(0, { ...sell, ...all, effect: "turn" })?.quantity, 50 + 80)
  })

  it("is bound by cash alone, and a short by none", () => {
    const matcher = open({ lot: 1, feePerFill: 5 })
    assert.strictEqual(matcher.fillNow(0, { ...buy, size: 500 })?.quantity, 99)
    assert.strictEqual(open().fillNow(0, { ...sell, size: 500 })?.quantity, 500)
    const dropping = open({}, "drop")
    assert.isNull(dropping.fillNow(0, { ...buy, size: 500 }))
    assert.strictEqual(dropping.fillNow(0, { ...sell, size: 500 })?.quantity, 500)
    assert.strictEqual(dropping.fillNow(0, { ...buy, effect: "close" })?.quantity, 500)
  })

  it("stays a short that is held although no equity is left", () => {
    const matcher = open()
    matcher.fillNow(0, { ...sell, size: 100 })
    matcher.lookAt(0, { ...candles, high: column(10, 99, 10) }, 1)
    assert.isNaN(matcher.stopReached(0, "open"))
    assert.strictEqual(matcher.heldQuantity(0), -100)
    const bought = matcher.fillNow(0, { ...buy, effect: "close", price: 50 })
    assert.strictEqual(bought?.quantity, 40)
    assert.deepStrictEqual([matcher.cash, matcher.heldQuantity(0)], [0, -60])
  })

  it("has a least and a largest quantity", () => {
    const matcher = open()
    assert.isNull(matcher.fillNow(0, { ...buy, least: 2 }))
    assert.strictEqual(matcher.fillNow(0, { ...buy, size: 9, most: 5 })?.quantity, 5)
    assert.isNull(open({}, "drop").fillNow(0, { ...buy, size: 9, most: 5 }))
  })

  it("trades nothing without a size, a price or a position to take from", () => {
    const wrong = [
      { ...buy, size: Number.NaN },
      { ...buy, size: 0 },
      { ...buy, size: -1 },
      { ...buy, price: Number.NaN },
      { ...buy, price: 0 },
      { ...buy, price: -1 },
      { ...sell, effect: "close" as const },
      { ...sell, effect: "reduce" as const }
    ]
    const matcher = open()
    for (const wrongOrder of wrong) assert.isNull(matcher.fillNow(0, wrongOrder))
    assert.deepStrictEqual([matcher.cash, matcher.rowCount, matcher.hasLot(0)], [1_000, 0, false])
  })

  it("slips where it takes, keeps its price where it makes, and lies on the tick", () => {
    const terms = { slippageRate: 0.04, takerRate: 0.5, makerRate: 0, tick: 0.25 }
    const taken = open(terms).fillNow(0, { ...buy, isMaker: false })
    assert.deepInclude(taken, { price: 10.5, fee: 5.25 })
    assert.deepInclude(open(terms).fillNow(0, { ...buy, price: 10.1 }), { price: 10, fee: 0 })
    assert.deepInclude(open(terms).fillNow(0, { ...sell, isMaker: false }), { price: 9.5 })
  })

  it("tells its rows to its host, and leaves the rows before them", () => {
    const matcher = open()
    matcher.placeExit(0, { ...restingExit, lotId: 7 }, "signal")
    matcher.fillNow(0, buy)
    assert.deepStrictEqual(
      matcher.drain(noTags).map(({ kind }) => kind),
      ["ended"]
    )
  })

  it("grows its matcher where that has too little room, and survives a snapshot", () => {
    const matcher = open()
    for (let nth = 0; nth < 200; nth++) matcher.placeEntry(0, { ...restingExit, limit: 1 }, null)
    matcher.fillNow(0, { ...buy, size: 2 })
    const restored = Matcher.restore(matcher.snapshot())
    restored.lookAt(0, candles, 1)
    const closed = restored.fillNow(0, { ...sell, effect: "close", price: 12 })
    assert.deepInclude(closed?.closing, { quantity: 2, pnl: 4, isWhole: true })
  })
})

const restingExit = {
  side: -1,
  quantity: 1,
  limit: null,
  stop: null,
  expiresAfter: null
} as const

describe("the levels of a lot that a candle reaches", () => {
  const held = (levels: { readonly stop?: number; readonly target?: number }, side: 1 | -1 = 1) => {
    const matcher = open()
    matcher.fillNow(0, { ...buy, side })
    matcher.protect(0, levels)
    matcher.lookAt(0, candles, 1)
    return matcher
  }
  const plain = {
    isNew: false,
    mustPass: false,
    isAfterEntry: false,
    entry: 10,
    gap: "open"
  } as const

  it("are its stop and its target, inside the candle or not at all", () => {
    const matcher = held({ stop: 9, target: 11.5 })
    assert.deepStrictEqual(
      [matcher.stopReached(0, "open"), matcher.targetReached(0, plain)],
      [9, 11.5]
    )
    const far = held({ stop: 7, target: 13 })
    assert.deepStrictEqual([far.stopReached(0, "open"), far.targetReached(0, plain)], [NaN, NaN])
    const short = held({ stop: 12, target: 8 }, -1)
    assert.deepStrictEqual([short.stopReached(0, "open"), short.targetReached(0, plain)], [12, 8])
    assert.isNaN(short.targetReached(0, { ...plain, mustPass: true }))
  })

  it("fill by the rule of gaps where the open has passed them", () => {
    const passed = held({ stop: 11 })
    assert.deepStrictEqual(
      (["open", "level", "inside"] as const).map((gap) => passed.stopReached(0, gap)),
      [10, 11, 11]
    )
    const beyond = held({ stop: 13 })
    assert.deepStrictEqual(
      (["open", "level", "inside"] as const).map((gap) => beyond.stopReached(0, gap)),
      [10, 13, 10]
    )
    const target = held({ target: 7 })
    const targetBy = (gap: "open" | "level" | "inside") =>
      target.targetReached(0, { ...plain, gap })
    assert.deepStrictEqual([targetBy("open"), targetBy("level"), targetBy("inside")], [10, 7, 8])
    assert.strictEqual(target.targetReached(0, { ...plain, gap: "inside", isNew: true }), 10)
    const limits = (["open", "level", "inside"] as const).map((gap) =>
      target.limitReached(0, 1, 13, gap)
    )
    assert.deepStrictEqual(limits, [10, 13, 12])
  })

  it("are looked for only where the candle goes that far", () => {
    const matcher = held({ stop: 7, target: 13 })
    assert.isFalse(matcher.touchesLevels(0, candles, 1))
    matcher.protect(0, { stop: 8 })
    assert.isTrue(matcher.touchesLevels(0, candles, 1))
  })

  it("know a stop that has trailed by its reason, also where the candle moved it", () => {
    const matcher = held({ stop: 7 })
    assert.isFalse(matcher.hasTrailed(0))
    matcher.trailTo(0, 9)
    assert.deepStrictEqual([matcher.stopOf(0), matcher.hasTrailed(0)], [9, true])
    assert.strictEqual(matcher.movedStopReached(0), 9)
    matcher.trailTo(0, 7.5)
    assert.isNaN(matcher.movedStopReached(0))
  })
})

/** No number is equal to NaN, which both forms answer for no price. */
const orZero = (price: number): number => (Number.isNaN(price) ? 0 : price)

const drawDeed = (random: Random): FormDeed => {
  const side = random.pick([1, -1])
  const effect = random.integer(0, 3)
  const isFraction = random.integer(0, 1)
  const size = isFraction === 1 ? random.pick([0.3, 1]) : random.pick([1, 2.5, 40, Number.NaN])
  const price = random.integer(80, 120) / 10
  const [isMaker, gap, flag] = [random.integer(0, 1), random.integer(0, 2), random.integer(0, 1)]
  const [least, most] = [random.pick([0, 2]), random.pick([7, Infinity])]
  switch (random.integer(0, 8)) {
    case 0:
      return (matcher, at) => matcher.moveStops(at, 0, 0, price)
    case 1:
      return (matcher, at) => matcher.moveTargets(at, 0, 0, price)
    case 2:
      return (matcher, at) => orZero(matcher.stopReached(at, 0, gap))
    case 3:
      return (matcher, at) => orZero(matcher.targetReached(at, 0, gap, flag, isMaker, flag, price))
    case 4:
      return (matcher, at) => orZero(matcher.limitReached(at, 0, side, price, gap))
    case 5:
      return (matcher, at) => matcher.watchLevels(at, 0)
    default:
      return (matcher, at) =>
        matcher.fillDirect(at, 0, side, effect, isFraction, size, price, isMaker, least, most, 0, 0)
  }
}

describe("direct orders in both forms of a matcher", () => {
  it("answer the same, and leave the same bytes", () => {
    let [filled, drawn] = [0, 0]
    for (const { random, seed } of draws("directOrders", 200)) {
      const terms = { ...market, lot: random.pick([0, 0.5]), tick: random.pick([0, 0.05]) }
      const costs = { takerRate: 0.01, feePerFill: 0.5, slippageRate: 0.02 }
      const rules = {
        fill: "next_open",
        netting: "average",
        sequence: "stage",
        sizingPrice: "fill",
        feeReserve: "fill",
        shortfall: random.pick(["cut", "drop"] as const),
        portionRounding: "down",
        stopLimitGap: "open",
        hasTargetOnStopEntry: false
      } as const
      const room = { orders: 4, lots: 2, rows: 4 }
      const forms = new MatcherForms(makeBlock(1_000, rules, [{ ...terms, ...costs }], room), seed)
      for (let index = 0; index < 40; index++) {
        const [open, close] = [random.integer(80, 120) / 10, random.integer(80, 120) / 10]
        forms.write(({ doubles, words }) => {
          const from = layout.headerBytes
          doubles[(from + layout.timeAt) >> 3] = index * 60_000
          doubles[(from + layout.openAt) >> 3] = open
          doubles[(from + layout.highAt) >> 3] = Math.max(open, close) + 0.5
          doubles[(from + layout.lowAt) >> 3] = Math.min(open, close) - 0.5
          doubles[(from + layout.closeAt) >> 3] = close
          words[(from + layout.candleIndexAt) >> 2] = index
        })
        const before = forms.block.doubles[layout.turnoverAt >> 3]
        forms.act(drawDeed(random))
        drawn += 1
        if (forms.block.doubles[layout.turnoverAt >> 3] !== before) filled += 1
      }
    }
    assert.isAbove(filled, drawn / 10)
  })
})
