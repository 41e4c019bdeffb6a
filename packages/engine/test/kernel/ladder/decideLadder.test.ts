/**
 * A ladder's decisions at one close, a part after the other.
 */
import { assert, describe, it } from "@effect/vitest"
import { tagOf } from "../../../src/kernel/ladder/LadderMemory.ts"
import type { AdditionPlan } from "../../../src/kernel/ladder/LadderPlan.ts"
import { restLadder } from "../../../src/kernel/ladder/decideLadder.ts"
import { atMarket } from "../../../src/kernel/ladder/ladderWork.ts"
import { noRiskLimits } from "../../../src/kernel/riskGate.ts"
import { afterFills, decided, fillOf, inputOf, side } from "./ladderCase.ts"

const base = fillOf("e3", 1, 10, 100, { effect: "open" })
const held = () => afterFills(base)

const resting = (id: string, quantity: number, limit: number | null = 90) =>
  ({ id, side: 1, type: "limit", leg: "entry", quantity, limit, stop: null }) as const

const target = (id: string, quantity: number, limit: number) =>
  ({ id, side: -1, type: "limit", leg: "exit", quantity, limit, stop: null }) as const

describe("a ladder's memory", () => {
  it("keeps prices, sizes, tags and lots from fills, and forgets them when flat", () => {
    const memory = afterFills(base, fillOf("e4.safety0", 1, 20, 90))
    assert.strictEqual(memory.firstPrice, 100)
    assert.strictEqual(memory.lastNotional, 1_800)
    assert.strictEqual(memory.largest, 30)
    assert.deepStrictEqual(Object.keys(memory.entries), ["base", "safety0"])
    const out = fillOf("x6.target0", -1, 12, 110, { leg: "exit", effect: "reduce" })
    const reduced = afterFills(base, fillOf("e4.safety0", 1, 20, 90), out)
    assert.strictEqual(reduced.held, 18)
    assert.strictEqual(reduced.largest, 30)
    assert.deepStrictEqual(
      reduced.lots.map(({ id, quantity }) => [id, quantity]),
      [["e4.safety0", 18]]
    )
    const flat = afterFills(base, fillOf("e3:stop", -1, 10, 95, { effect: "close" }))
    assert.deepStrictEqual(flat, { ...afterFills(), lastExit: 0 })
    assert.deepStrictEqual(JSON.parse(JSON.stringify(reduced)), reduced)
  })

  it("reduces the lot that a fill names", () => {
    const out = fillOf("e4.more:target", -1, 20, 110, { effect: "reduce" })
    const memory = afterFills(base, fillOf("e4.more", 1, 20, 90), out)
    assert.deepStrictEqual(
      memory.lots.map(({ id }) => id),
      ["e3"]
    )
  })

  it("keeps when entries were closed, and when by a stop, also where nothing is held", () => {
    const stopped = fillOf("e3:stop", -1, 10, 95, { effect: "reduce", leg: "stop_loss", index: 5 })
    const sold = fillOf("x6", -1, 20, 95, { effect: "close", leg: "exit", index: 7 })
    const memory = afterFills(base, fillOf("e4.more", 1, 20, 90), stopped)
    assert.deepStrictEqual([memory.lastExit, memory.lastStop], [5, 5])
    const flat = afterFills(base, fillOf("e4.more", 1, 20, 90), stopped, sold)
    assert.deepStrictEqual(flat, { ...afterFills(), lastExit: 7, lastStop: 5 })
    assert.deepStrictEqual(
      afterFills(base, { ...sold, quantity: 4, effect: "reduce" }).lastExit,
      null
    )
  })

  it("reads tags from ids", () => {
    assert.deepStrictEqual(["e3", "e3-1", "e3.line4", "e3-1.more", "e3.line4:stop"].map(tagOf), [
      "base",
      "base",
      "line4",
      "more",
      "line4"
    ])
  })
})

describe("a ladder's entries", () => {
  it("enters and leaves by rules", () => {
    assert.deepStrictEqual(decided({ signal: { enterLong: true } }), ["buy e7 market 10"])
    assert.deepStrictEqual(decided({ memory: held(), signal: { exitLong: true } }), [
      "sell x7 market 10"
    ])
    assert.deepStrictEqual(decided({ memory: held(), signal: { enterLong: true } }), [])
  })

  it("sizes each order of a group alone", () => {
    const entry = [
      { ...atMarket, type: "limit", price: { kind: "series", series: 0 } },
      { ...atMarket, type: "stop_limit", price: { kind: "offset", rate: 0.1 }, limitRate: 0.01 }
    ] as const
    const long = {
      entry,
      sizing: { rule: { type: "equity_fraction", fraction: 1 }, volatility: null }
    } as const
    assert.deepStrictEqual(decided({ long, series: [80], signal: { enterLong: true } }), [
      "buy e7-0 limit 125 at 80",
      "buy e7-1 stop_limit 90.909 at 110/111.1"
    ])
  })

  it("opens further positions where they may overlap", () => {
    const plan = { overlap: true, positionsMax: 2, lots: "by_name" } as const
    const given = { memory: held(), signal: { enterLong: true } }
    assert.deepStrictEqual(decided({ ...given, plan }), ["buy e7 market 10"])
    assert.deepStrictEqual(decided({ ...given, plan: { ...plan, positionsMax: 1 } }), [])
  })

  it("counts the orders of a group as one position", () => {
    const orders = [resting("e5-0", 10), resting("e5-1", 10, 80)]
    const given = { memory: held(), orders, signal: { enterLong: true } }
    const plan = (positionsMax: number) =>
      ({ overlap: true, positionsMax, lots: "by_name" }) as const
    assert.deepStrictEqual(decided({ ...given, plan: plan(3) }), ["buy e7 market 10"])
    assert.deepStrictEqual(decided({ ...given, plan: plan(2) }), [])
  })
})

const addition = (trigger: AdditionPlan["trigger"], rest: Partial<AdditionPlan> = {}) => ({
  additions: [{ name: "more", trigger, sizing: null, exits: null, timeLimit: null, ...rest }]
})

describe("a ladder's additions", () => {
  const byRule = { type: "rule", enter: 0, entry: [atMarket], times: 2 } as const

  it("adds where a rule holds, up to its number of times", () => {
    const long = addition(byRule, { sizing: { of: "first", factor: 0.5 } })
    const once = fillOf("e5.more", 1, 5, 100)
    assert.deepStrictEqual(decided({ long, memory: held(), rules: [true] }), [
      "buy e7.more market 5"
    ])
    assert.deepStrictEqual(
      decided({
        long,
        memory: afterFills(base, once, { ...once, orderId: "e6.more" }),
        rules: [true]
      }),
      []
    )
    assert.deepStrictEqual(decided({ long, memory: held(), rules: [false] }), [])
  })

  it("rests beside the first entry price, once", () => {
    const against = addition({ type: "against", distance: 0.1 })
    const ahead = addition({ type: "in_favour", distance: 0.1 })
    assert.deepStrictEqual(decided({ long: against, memory: held() }), [
      "buy e7.more limit 11.111 at 90"
    ])
    assert.deepStrictEqual(decided({ long: ahead, memory: held() }), [
      "buy e7.more stop 9.09 at 110"
    ])
    assert.deepStrictEqual(
      decided({ long: against, memory: held(), orders: [resting("e4.more", 5)] }),
      []
    )
  })

  it("rests safety orders, each farther and larger", () => {
    const safety = { count: 3, distance: 0.02, distanceFactor: 1.5, sizeFactor: 2 }
    assert.deepStrictEqual(decided({ long: { safety }, memory: held() }), [
      "buy e7.safety0 limit 10.204 at 98",
      "buy e7.safety1 limit 21.052 at 95",
      "buy e7.safety2 limit 44.198 at 90.5"
    ])
    assert.deepStrictEqual(restLadder(inputOf({ long: { safety }, memory: held() })).length, 3)
  })

  it("cuts to what is left beside all that is held and rests", () => {
    const safety = { count: 3, distance: 0.1, distanceFactor: 1, sizeFactor: 1 }
    const given = { long: { safety }, memory: held(), equity: 2_500 }
    assert.deepStrictEqual(decided(given), [
      "buy e7.safety0 limit 11.111 at 90",
      "buy e7.safety1 limit 6.25 at 80"
    ])
  })

  it("cuts additions to the caps on exposure and on risk, as entries", () => {
    const safety = { count: 3, distance: 0.1, distanceFactor: 1, sizeFactor: 1 }
    const limits = { ...noRiskLimits, exposureMax: 0.25 }
    assert.deepStrictEqual(decided({ long: { safety }, memory: held(), input: { limits } }), [
      "buy e7.safety0 limit 11.111 at 90",
      "buy e7.safety1 limit 6.25 at 80"
    ])
    const exits = {
      stopLoss: { kind: "fraction", value: 0.5 },
      takeProfit: null,
      trailingStop: null,
      breakEven: null
    } as const
    const risk = { ...noRiskLimits, riskPerTrade: 0.0225 }
    const long = { safety: { ...safety, count: 1 }, exits }
    assert.deepStrictEqual(decided({ long, memory: held(), input: { limits: risk } }), [
      "buy e7.safety0 limit 5 at 90"
    ])
  })

  it("takes additions back where entries are not allowed, and where the position is over", () => {
    const safety = { count: 1, distance: 0.1, distanceFactor: 1, sizeFactor: 1 }
    const orders = [resting("e4.safety0", 5), target("x4.target0", 5, 120)]
    const stopped = { long: { safety }, orders, input: { canEnter: false } }
    assert.deepStrictEqual(decided({ ...stopped, memory: held() }), ["cancel e4.safety0"])
    assert.deepStrictEqual(decided({ long: { safety }, orders }), [
      "cancel x4.target0",
      "cancel e4.safety0"
    ])
  })
})

describe("a short ladder", () => {
  it("is the mirror of a long one", () => {
    const memory = afterFills(fillOf("e3", -1, 10, 100, { effect: "open" }))
    const short = {
      ...side,
      safety: { count: 2, distance: 0.02, distanceFactor: 1.5, sizeFactor: 2 },
      targets: [{ at: { kind: "fraction", value: 0.1 }, portion: 1, stop: null }],
      ...addition({ type: "in_favour", distance: 0.1 })
    } as const
    assert.deepStrictEqual(decided({ plan: { short }, memory }), [
      "buy x7.target0 limit 10 at 90",
      "sell e7.safety0 limit 9.803 at 102",
      "sell e7.safety1 limit 19.047 at 105",
      "sell e7.more stop 11.111 at 90"
    ])
  })
})

describe("a ladder's exits", () => {
  const targets = [
    { at: { kind: "fraction", value: 0.1 }, portion: 0.5, stop: "entry" },
    { at: { kind: "fraction", value: 0.2 }, portion: 0.5, stop: null }
  ] as const

  it("rests a target for each portion, and the last takes the rest", () => {
    const memory = afterFills(fillOf("e3", 1, 9.999, 100, { effect: "open" }))
    assert.deepStrictEqual(decided({ long: { targets }, memory }), [
      "sell x7.target0 limit 4.999 at 110",
      "sell x7.target1 limit 5 at 120"
    ])
  })

  it("moves the stop once a target has filled, and never back", () => {
    const memory = afterFills(base, fillOf("x5.target0", -1, 5, 110, { effect: "reduce" }))
    const orders = [target("x4.target1", 5, 120)]
    const given = { long: { targets }, memory, orders }
    assert.deepStrictEqual(decided({ ...given, stop: 95 }), ["move 100 undefined"])
    assert.deepStrictEqual(decided({ ...given, stop: 101 }), [])
  })

  it("replaces targets whose price or size has changed", () => {
    const memory = afterFills(base, fillOf("e4.safety0", 1, 10, 90))
    const orders = [target("x4.target0", 5, 110), target("x4.target1", 5, 120)]
    assert.deepStrictEqual(decided({ long: { targets }, memory, orders }), [
      "cancel x4.target0",
      "sell x7.target0 limit 10 at 104.5",
      "cancel x4.target1",
      "sell x7.target1 limit 10 at 114"
    ])
  })

  it("reduces the position, or a lot by its name", () => {
    const reductions = [
      { when: 0, portion: 0.25, lot: null },
      { when: 1, portion: 1, lot: "more" }
    ]
    const memory = afterFills(base, fillOf("e5.more", 1, 4, 120))
    const given = { long: { reductions }, memory }
    assert.deepStrictEqual(decided({ ...given, rules: [true, false] }), [
      "sell x7.reduce0 market 3.5"
    ])
    assert.deepStrictEqual(decided({ ...given, rules: [false, true] }), [
      "sell x7.reduce1.e5.more market 4"
    ])
  })

  it("reduces what exits of earlier closes leave, which wait still", () => {
    const reductions = [{ when: 0, portion: 0.5, lot: null }]
    const order = { id: "x6.reduce0", side: -1, leg: "exit", type: "market" } as const
    const waiting = { ...order, quantity: 4, limit: null, stop: null }
    const given = { long: { reductions }, memory: afterFills(base), rules: [true] }
    assert.deepStrictEqual(decided({ ...given, orders: [waiting] }), ["sell x7.reduce0 market 3"])
    const all = { ...waiting, quantity: 10 }
    assert.deepStrictEqual(decided({ ...given, orders: [all] }), [])
    const named = {
      long: { reductions: [{ when: 0, portion: 0.5, lot: "more" }] },
      memory: afterFills(base, fillOf("e5.more", 1, 4, 120)),
      rules: [true]
    }
    const ofLot = (lot: string) => ({ ...waiting, quantity: 2, lot })
    assert.deepStrictEqual(decided({ ...named, orders: [ofLot("e5.more")] }), [
      "sell x7.reduce0.e5.more market 1"
    ])
    assert.deepStrictEqual(decided({ ...named, orders: [ofLot("e3")] }), [
      "sell x7.reduce0.e5.more market 2"
    ])
  })

  it("closes a separate lot whose time is over", () => {
    const memory = afterFills({ ...base, index: 3 }, fillOf("e5.more", 1, 4, 120, { index: 6 }))
    const plan = { lots: "by_name" } as const
    assert.deepStrictEqual(decided({ plan: { ...plan }, long: { timeLimit: 4 }, memory }), [
      "sell x7.over.e3 market 10"
    ])
  })

  it("closes the lot of an addition with exits of its own by their time limit", () => {
    const added = fillOf("e4.more", 1, 4, 120, { index: 5 })
    const left = (timeLimit: number | null, rest: Partial<AdditionPlan>) =>
      decided({
        plan: { lots: "by_name" },
        long: { timeLimit, ...addition({ type: "against", distance: 0.5 }, rest) },
        memory: afterFills({ ...base, index: 3 }, added)
      }).filter((line) => line.startsWith("sell"))
    const none = { stopLoss: null, takeProfit: null, trailingStop: null, breakEven: null }
    assert.deepStrictEqual(left(null, { exits: none, timeLimit: 2 }), [
      "sell x7.over.e4.more market 4"
    ])
    assert.deepStrictEqual(left(4, { exits: none, timeLimit: 3 }), ["sell x7.over.e3 market 10"])
    assert.deepStrictEqual(left(2, { exits: none }), ["sell x7.over.e3 market 10"])
    assert.deepStrictEqual(left(2, {}), [
      "sell x7.over.e3 market 10",
      "sell x7.over.e4.more market 4"
    ])
  })
})

describe("a grid and a weight", () => {
  const grid = {
    lines: [80, 90, 100, 110],
    sizing: { type: "fixed_notional", notional: 900 },
    stopLoss: { kind: "fraction", value: 0.1 }
  } as const

  it("rests at each free line under the close", () => {
    const plan = { grid, lots: "by_name" } as const
    assert.deepStrictEqual(decided({ plan, close: 105 }), [
      "buy e7.line2 limit 9 at 100",
      "buy e7.line1 limit 10 at 90",
      "buy e7.line0 limit 11.25 at 80"
    ])
    const memory = afterFills(fillOf("e3.line2", 1, 9, 100))
    const orders = [resting("e3.line1", 10, 90)]
    assert.deepStrictEqual(decided({ plan, close: 105, memory, orders }), [
      "buy e7.line0 limit 11.25 at 80"
    ])
  })

  it("orders the difference to a weight, outside its band", () => {
    const rebalance = { weight: 0.5, band: 0.05, when: null }
    const plan = { rebalance }
    assert.deepStrictEqual(decided({ plan }), ["buy e7 market 50"])
    const memory = afterFills(fillOf("e3", 1, 50, 100))
    assert.deepStrictEqual(decided({ plan, memory }), [])
    assert.deepStrictEqual(decided({ plan, memory, equity: 8_000 }), ["sell x7.weight market 10"])
    assert.deepStrictEqual(decided({ plan, memory, equity: 12_000 }), ["buy e7.weight market 10"])
  })
})
