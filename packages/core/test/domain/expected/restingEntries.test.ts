/**
 * Entries that rest on one side alone lead to other fills, though neither side holds anything.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  type ComparedFill,
  compareFills,
  type Comparison,
  type LosingBacktest,
  type RealizedFill,
  type UnfilledOrder
} from "@candlewick/core"

/** A fill of an entry that was decided at a candle, or of its stop. */
const fillOf = (time: number, decided: number, fields: Partial<ComparedFill> = {}) => ({
  market: 0,
  time,
  since: decided + 1,
  coolsUntil: null,
  decision: `e${decided}`,
  side: 1 as const,
  leg: "entry",
  quantity: 1,
  price: 100,
  fee: 0,
  ...fields
})
const stopOf = (time: number, decided: number, price = 90) =>
  fillOf(time, decided, {
    since: time,
    side: -1,
    leg: "stop_loss",
    decision: `e${decided}:stop`,
    price
  })
const made = (fill: ComparedFill & Partial<RealizedFill>): RealizedFill => ({
  lack: null,
  lackQuantity: 0,
  isCommanded: false,
  isUnprotected: false,
  isPriced: true,
  isLate: false,
  isBesideOther: false,
  heardAfter: null,
  ...fill
})

const orderOf = (time: number, fields: Partial<UnfilledOrder> = {}): UnfilledOrder => ({
  cause: "part",
  filledTime: null,
  overTime: null,
  isOpen: false,
  decision: `e${time}`,
  market: 0,
  time,
  side: 1,
  leg: "entry",
  ...fields
})
const restsIn = (decided: number, overTime: number | null) => ({
  market: 0,
  decision: `e${decided}`,
  isCut: false,
  overTime
})

const told = (
  expected: ReadonlyArray<ComparedFill>,
  realized: ReadonlyArray<ComparedFill & Partial<RealizedFill>>,
  records: Partial<Comparison> = {}
) =>
  compareFills({
    isOnPaper: false,
    expected,
    realized: realized.map(made),
    lastCloses: [100, 100],
    unfilled: [],
    missed: [],
    heldBack: [],
    atRest: [],
    barred: [],
    passedOver: [],
    lacking: [],
    losing: [],
    shut: [],
    resumed: [],
    charges: [],
    lasting: "nothing",
    ...records
  }).differences.map(({ cause, follows }) => `${cause} ${follows ? "follows" : "alone"}`)

describe("an entry that a bot orders in place of one that it lacks", () => {
  const entry = fillOf(9, 7, { price: 101 })
  const causeOf = (lacking: Comparison["lacking"], records: Partial<Comparison> = {}) =>
    told([], [entry], { lacking, ...records })

  it("has the cause for which the one before ended, while that rests in the backtest", () => {
    const unfilled = [orderOf(3, { overTime: 6 })]
    assert.deepStrictEqual(causeOf([restsIn(3, null)], { unfilled }), ["part alone"])
    assert.deepStrictEqual(causeOf([restsIn(3, 8)], { unfilled }), ["part alone"])
    assert.deepStrictEqual(causeOf([restsIn(3, 7)], { unfilled }), ["null alone"])
    const filled = told([fillOf(12, 3)], [entry], { unfilled })
    assert.deepStrictEqual(filled[0], "part alone")
    assert.deepStrictEqual(causeOf([restsIn(3, null)]), ["null alone"])
    assert.deepStrictEqual(causeOf([{ ...restsIn(3, null), market: 1 }], { unfilled }), [
      "null alone"
    ])
    for (const order of [{ overTime: 8 }, { isOpen: true }, { filledTime: 5 }]) {
      const none = causeOf([restsIn(3, null)], { unfilled: [orderOf(3, order)] })
      assert.deepStrictEqual(none, ["null alone"])
    }
    const onPaper = causeOf([restsIn(3, null)], { unfilled, isOnPaper: true })
    assert.deepStrictEqual(onPaper, ["null alone"])
  })

  it("has that cause too where each of several entries took the place of another", () => {
    const lacking = [restsIn(1, 4), restsIn(4, 6), restsIn(6, 10)]
    const own = [orderOf(1, { overTime: 2 }), orderOf(2, { overTime: 5 })]
    const renewed = orderOf(5, { overTime: 7, cause: "refusal" })
    assert.deepStrictEqual(causeOf(lacking, { unfilled: [...own, renewed] }), ["part alone"])
    assert.deepStrictEqual(causeOf(lacking, { unfilled: own }), ["null alone"])
    assert.deepStrictEqual(causeOf(lacking.slice(1), { unfilled: [...own, renewed] }), [
      "null alone"
    ])
  })

  it("is followed by sizes, which depend on what it has earned", () => {
    const exit = fillOf(11, 10, { side: -1, leg: "exit", decision: "x10", price: 101 })
    const next = fillOf(15, 14)
    const larger = { ...next, quantity: 1.5 }
    const records = { unfilled: [orderOf(3, { overTime: 6 })], lacking: [restsIn(3, 9)] }
    const sizes = told([next], [entry, exit, larger], { ...records, lasting: "sizes" })
    assert.deepStrictEqual(sizes, ["part alone", "part follows", "part follows"])
  })

  it("has the cause that kept the bot from ordering the one that rests in the backtest", () => {
    const passed = { cause: "refusal", market: 0, side: 1, time: 3 } as const
    const rests = [restsIn(3, null)]
    assert.deepStrictEqual(causeOf(rests, { passedOver: [passed] }), ["refusal alone"])
    const other = { ...passed, market: 1 }
    assert.deepStrictEqual(causeOf(rests, { passedOver: [other] }), ["null alone"])
    const missed = (after: number, until: number) => causeOf(rests, { missed: [{ after, until }] })
    assert.deepStrictEqual(missed(3, 4), ["missed_candle alone"])
    assert.deepStrictEqual(missed(4, 5), ["null alone"])
    assert.deepStrictEqual(missed(1, 3), ["null alone"])
  })
})

describe("a difference of a position", () => {
  // The bot leaves a candle before the backtest, and enters again at a price that is no other's.
  const expected = [fillOf(2, 1), stopOf(4, 1)]
  const bot = [fillOf(2, 1), stopOf(3, 1), fillOf(9, 7)]
  const lastOf = (records: Partial<Comparison>) => told(expected, bot, records).at(-1)

  it("goes on while another entry rests than in the backtest, though both hold nothing", () => {
    const own = orderOf(3, { overTime: 9 })
    const rests = [restsIn(4, 9)]
    assert.strictEqual(lastOf({ unfilled: [own], lacking: rests }), "slippage follows")
    assert.strictEqual(lastOf({ unfilled: [own] }), "slippage follows")
    assert.strictEqual(lastOf({ lacking: rests }), "slippage follows")
  })

  it("is over once the same entries rest, or none", () => {
    assert.strictEqual(lastOf({}), "null alone")
    const own = orderOf(3, { overTime: 7 })
    assert.strictEqual(lastOf({ unfilled: [own], lacking: [restsIn(3, 9)] }), "part alone")
    assert.strictEqual(lastOf({ unfilled: [own], lacking: [restsIn(3, 6)] }), "null alone")
  })

  it("goes on while one side alone waits after its exit, and the other has ordered by then", () => {
    const lastOfCooled = (coolsUntil: number) =>
      told(
        [fillOf(2, 1), { ...stopOf(4, 1), coolsUntil: 5 }],
        [fillOf(2, 1), { ...stopOf(3, 1), coolsUntil }, fillOf(9, 7)],
        { lacking: [restsIn(5, 9)] }
      ).at(-1)
    assert.strictEqual(lastOfCooled(7), "slippage follows")
    assert.strictEqual(lastOfCooled(5), "null alone")
  })

  it("goes on for an entry that one side had ordered before", () => {
    const early = [fillOf(2, 1), stopOf(3, 1), fillOf(9, 3)]
    assert.deepStrictEqual(told(expected, early), ["slippage follows"])
    const late = [fillOf(2, 1), stopOf(3, 1), fillOf(9, 4)]
    assert.deepStrictEqual(told(expected, late), ["null alone"])
  })
})

describe("a fill that comes of other entries which the bot lost", () => {
  const entry = fillOf(9, 7)
  const exit = stopOf(11, 7)
  const lacking = [{ ...restsIn(3, null), market: 1 }]
  const losing = (
    expected: ReadonlyArray<ComparedFill>,
    orders: Comparison["lacking"] = [],
    cause: LosingBacktest["cause"] = "refusal"
  ): Partial<Comparison> => ({ lacking, losing: [{ cause, expected, lacking: orders }] })

  it("has the cause of that where the backtest makes it too, once it loses them", () => {
    const causesOf = (records: Partial<Comparison>) => told([], [entry, exit], records)
    assert.deepStrictEqual(causesOf({ lacking })[0], "null alone")
    assert.deepStrictEqual(causesOf(losing([entry])), ["refusal alone", "refusal follows"])
    assert.deepStrictEqual(causesOf(losing([entry], [], "command"))[0], "command alone")
    // It has the order, which its candles do not reach.
    assert.deepStrictEqual(causesOf(losing([], [restsIn(7, null)]))[0], "refusal alone")
    for (const fields of [{ market: 1 }, { decision: "e6" }]) {
      assert.deepStrictEqual(causesOf(losing([fillOf(9, 7, fields)]))[0], "null alone")
    }
  })

  it("has the cause whose entries make it, where the bot lost some for several", () => {
    const one = { cause: "refusal", expected: [], lacking: [] } as const
    const other = { ...one, cause: "part", expected: [entry] } as const
    assert.deepStrictEqual(told([], [entry], { losing: [one, other] }), ["part alone"])
    assert.deepStrictEqual(told([], [entry], { losing: [one] }), ["null alone"])
  })

  it("has that cause as far as the backtest fills more of it then, or less", () => {
    const small = { ...entry, quantity: 0.5 }
    for (const [mine, its] of [[small, entry] as const, [entry, small] as const]) {
      const causesOf = (records: Partial<Comparison>) =>
        told([mine], [{ ...its, isPriced: false }], records)
      assert.deepStrictEqual(causesOf(losing([its])), ["refusal alone"])
      assert.deepStrictEqual(causesOf(losing([mine])), ["null alone"])
      assert.deepStrictEqual(causesOf({ lacking }), ["null alone"])
    }
  })

  it("has that cause where the backtest alone makes it, unless it loses them", () => {
    const causesOf = (records: Partial<Comparison>) => told([entry], [], records)
    assert.deepStrictEqual(causesOf(losing([])), ["refusal alone"])
    assert.deepStrictEqual(causesOf(losing([entry])), ["null alone"])
    assert.deepStrictEqual(causesOf({ lacking }), ["null alone"])
  })
})

describe("a difference of another market", () => {
  it("goes on while the bot's entry rests that the backtest has left already", () => {
    const expected = [fillOf(2, 1), stopOf(4, 1)]
    const causeWith = (order: Partial<UnfilledOrder>) =>
      told([...expected, fillOf(9, 7, { market: 1 })], [], {
        unfilled: [orderOf(1, { cause: "delay", ...order })]
      }).at(-1)
    assert.strictEqual(causeWith({ isOpen: true }), "delay follows")
    assert.strictEqual(causeWith({ overTime: 9 }), "delay follows")
    assert.strictEqual(causeWith({ overTime: 7 }), "null alone")
  })
})

describe("an entry that one side alone decides", () => {
  // The bot leaves the position of another market two candles later than the backtest.
  const of = { market: 1 }
  const expected = [fillOf(2, 1, of), { ...stopOf(4, 1), ...of }]
  const bot = [fillOf(2, 1, of), { ...stopOf(6, 1), ...of }]
  const toldWith = (
    its: ReadonlyArray<ComparedFill>,
    mine: ReadonlyArray<ComparedFill>,
    records = {}
  ) => told([...expected, ...its], [...bot, ...mine], records)

  it("has the cause for which the other side alone held a position elsewhere then", () => {
    for (const [decided, cause] of [
      [3, "null alone"],
      [4, "delay follows"],
      [5, "delay follows"],
      [6, "null alone"]
    ] as const) {
      const entry = { ...fillOf(9, decided), isPriced: false }
      assert.deepStrictEqual(toldWith([entry], []), [cause], `the backtest's of ${decided}`)
      assert.deepStrictEqual(toldWith([], [entry]), [cause], `the bot's of ${decided}`)
    }
  })

  const restedBy = (side: "bot" | "backtest", market: number, decided: number, until: number) =>
    side === "bot"
      ? { unfilled: [orderOf(decided, { market, overTime: until })] }
      : { lacking: [{ ...restsIn(decided, until), market }] }

  it("has the cause too for which entries rest elsewhere on one side alone", () => {
    for (const side of ["bot", "backtest"] as const) {
      for (const [decided, cause] of [
        [7, "delay follows"],
        [8, "null alone"]
      ] as const) {
        const entry = { ...fillOf(12, decided), isPriced: false }
        const records = restedBy(side, 1, 6, 8)
        assert.deepStrictEqual(toldWith([entry], [], records), [cause], `${side} ${decided}`)
        assert.deepStrictEqual(toldWith([], [entry], records), [cause], `${side} ${decided}`)
      }
    }
    const both = { ...restedBy("bot", 1, 6, 8), ...restedBy("backtest", 1, 6, 8) }
    assert.deepStrictEqual(toldWith([fillOf(12, 7)], [], both), ["null alone"])
  })

  it("has that of an entry in a third market, which one side alone decided before", () => {
    for (const side of ["bot", "backtest"] as const) {
      const entry = { ...fillOf(12, 9), isPriced: false }
      const causesOf = (decided: number, until: number) =>
        toldWith([entry], [], restedBy(side, 2, decided, until))
      assert.deepStrictEqual(causesOf(5, 10), ["delay follows"], side)
      assert.deepStrictEqual(causesOf(5, 9), ["null alone"], side)
      assert.deepStrictEqual(causesOf(6, 10), ["null alone"], side)
    }
  })

  it("has it where an entry that was decided then rests in its place", () => {
    const entry = fillOf(9, 7)
    const causesOf = (decided: number) =>
      toldWith([], [entry], { lacking: [restsIn(decided, null)] })
    assert.deepStrictEqual(causesOf(5), ["delay follows"])
    assert.deepStrictEqual(causesOf(3), ["null alone"])
    assert.deepStrictEqual(causesOf(6), ["null alone"])
  })

  it("has none of that where both sides have decided it", () => {
    const unfilled = [orderOf(5, { cause: "delay", isOpen: true, filledTime: 12 })]
    assert.deepStrictEqual(toldWith([fillOf(9, 5)], [], { unfilled }), ["delay alone"])
    const filled = [orderOf(5, { cause: "delay", filledTime: 9, overTime: 9 })]
    const records = { unfilled: filled, lacking: [restsIn(5, null)] }
    assert.deepStrictEqual(toldWith([], [fillOf(9, 5)], records), ["slippage alone"])
  })
})
