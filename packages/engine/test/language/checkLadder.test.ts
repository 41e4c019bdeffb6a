import { assert, describe, it } from "@effect/vitest"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { checkStrategy, lacksStopLoss } from "../../src/language/checkStrategy.ts"
import { enter, whole } from "./untypedStrategy.ts"

const rsi = { type: "rsi", period: 14 }
const dip = { name: "dip", against: 0.05 }
const risked = { type: "risk_per_trade", fraction: 0.01 }
const stopped = { stop_loss: { type: "fraction", value: 0.1 } }
const apart = { lots: "by_name" }
const safety = { count: 3, distance: 0.02, distance_factor: 1.5, size_factor: 2 }
const lines = { lower: 100, upper: 200, lines: 11, spacing: "arithmetic" }
const half = { at: { type: "fraction", value: 0.05 }, portion: 0.5 }
const sold = { when: enter, portion: 0.5 }

const float = (min: number, max: number) => ({ kind: "float", default: min, min, max })

const entered = (entry: object) => whole({ entry: { type: "limit", offset: 0.01, ...entry } })
const adding = (addition: object, changes: object = {}) =>
  whole({ additions: [{ ...dip, ...addition }], ...changes })
const byRule = (addition: object) => whole({ additions: [{ name: "more", enter, ...addition }] })
const averaging = (orders: object, changes: object = {}) =>
  whole({ safety_orders: { ...safety, ...orders }, ...changes })
const aiming = (...targets: ReadonlyArray<object>) => whole({ targets })
const reducing = (reduction: object, changes: object = {}) =>
  whole({ reductions: [{ ...sold, ...reduction }], ...changes })
const gridded = (grid: object, changes: object = {}) =>
  whole({ long: undefined, grid: { ...lines, ...grid }, ...changes })
const weighing = (rebalance: object, changes: object = {}) =>
  whole({ long: undefined, rebalance: { weight: 0.5, band: 0.05, ...rebalance }, ...changes })
const overlapping = (changes: object) => whole({ overlap: true, max_positions: 3, ...changes })

/** A fault that a strategy must show: its name, the strategy, the pointer and the code. */
type Case = readonly [name: string, definition: StrategyDefinition, pointer: string, code: string]

const orderCases: ReadonlyArray<Case> = [
  ["an order without a price", entered({ offset: undefined }), "/entry", "exactly_one"],
  [
    "an order with two prices",
    entered({ level: { type: "sma", period: 5 } }),
    "/entry",
    "exactly_one"
  ],
  [
    "an order with two lives",
    entered({ expires_after: 2, until: "2030-01-01T00:00:00.000Z" }),
    "/entry",
    "at_most_one"
  ],
  [
    "a level that is no price",
    entered({ offset: undefined, level: rsi }),
    "/entry/level",
    "unit_mismatch"
  ],
  [
    "a limit far beyond its stop",
    entered({ type: "stop_limit", limit_offset: 2 }),
    "/entry/limit_offset",
    "out_of_bounds"
  ],
  [
    "a fault within a group",
    whole({
      entry: { type: "one_cancels_other", orders: [{ type: "stop", offset: 0 }, { type: "limit" }] }
    }),
    "/entry/orders/1",
    "exactly_one"
  ],
  [
    "a fault in the entry of a side",
    whole({ long: { enter, entry: { type: "stop" } } }),
    "/long/entry",
    "exactly_one"
  ]
]

const additionCases: ReadonlyArray<Case> = [
  [
    "an addition that nothing triggers",
    adding({ against: undefined }),
    "/additions/0",
    "exactly_one"
  ],
  ["an addition of two kinds", adding({ in_favour: 0.1 }), "/additions/0", "exactly_one"],
  ["an addition by a rule and a price", byRule({ against: 0.1 }), "/additions/0", "exactly_one"],
  ["times of a resting addition", adding({ times: 2 }), "/additions/0/times", "contradiction"],
  [
    "an order of a resting addition",
    adding({ entry: { type: "market" } }),
    "/additions/0/entry",
    "contradiction"
  ],
  ["a name twice", whole({ additions: [dip, dip] }), "/additions/1/name", "duplicate"],
  ["the name of the first entry", adding({ name: "base" }), "/additions/0/name", "reserved_name"],
  ["the name of a line", adding({ name: "line7" }), "/additions/0/name", "reserved_name"],
  ["the name of a safety order", adding({ name: "safety0" }), "/additions/0/name", "reserved_name"],
  [
    "exits of an addition in one lot",
    adding({ exits: stopped }),
    "/additions/0/exits",
    "contradiction"
  ],
  [
    "exits of an addition where lots share theirs",
    adding({ exits: stopped }, { ...apart, exits_of: "position" }),
    "/additions/0/exits",
    "contradiction"
  ],
  [
    "risk of an addition without a stop",
    adding({ sizing: risked }),
    "/additions/0/sizing/type",
    "stop_loss_required"
  ],
  [
    "risk of an addition whose own exits have no stop",
    adding({ sizing: risked, exits: { time_limit: 3 } }, { ...apart, exits: stopped }),
    "/additions/0/sizing/type",
    "stop_loss_required"
  ],
  [
    "a multiple of nothing",
    adding({ sizing: { type: "scaled", of: "last", factor: 0 } }),
    "/additions/0/sizing/factor",
    "out_of_bounds"
  ],
  [
    "a parameter that an addition misses",
    adding({ against: { parameter: "far" } }),
    "/additions/0/against/parameter",
    "unknown_parameter"
  ],
  [
    "a fault deep in the rule of an addition",
    byRule({ enter: { type: "not", rule: { ...enter, right: rsi } } }),
    "/additions/0/enter/rule",
    "unit_mismatch"
  ],
  ["51 safety orders", averaging({ count: 51 }), "/safety_orders/count", "out_of_bounds"],
  [
    "safety orders below a price of zero",
    averaging({ distance: 0.3 }),
    "/safety_orders",
    "out_of_bounds"
  ],
  [
    "safety orders that a parameter takes below zero",
    averaging({ distance: { parameter: "far" } }, { parameters: { far: float(0.01, 0.3) } }),
    "/safety_orders",
    "out_of_bounds"
  ],
  ["safety orders in lots", averaging({}, apart), "/safety_orders", "contradiction"]
]

const exitCases: ReadonlyArray<Case> = [
  [
    "portions above the whole",
    aiming(half, { ...half, portion: 0.6 }),
    "/targets",
    "out_of_bounds"
  ],
  [
    "portions that a parameter takes above the whole",
    whole({
      parameters: { part: float(0.1, 0.6) },
      targets: [half, { ...half, portion: { parameter: "part" } }]
    }),
    "/targets",
    "out_of_bounds"
  ],
  [
    "a target before the first",
    aiming({ ...half, stop: "previous_target" }),
    "/targets/0/stop",
    "contradiction"
  ],
  [
    "a target in percent",
    aiming({ ...half, at: { type: "level", series: rsi } }),
    "/targets/0/at/series",
    "unit_mismatch"
  ],
  ["a portion of nothing", reducing({ portion: 0 }), "/reductions/0/portion", "out_of_bounds"],
  ["a lot of one lot", reducing({ lot: "base" }), "/reductions/0/lot", "contradiction"],
  ["a lot that there is not", reducing({ lot: "dip" }, apart), "/reductions/0/lot", "unknown_lot"],
  [
    "a lot of the other side",
    whole({
      ...apart,
      long: { enter, reductions: [{ ...sold, lot: "dip" }] },
      short: { enter, additions: [dip] }
    }),
    "/long/reductions/0/lot",
    "unknown_lot"
  ],
  ["exits of one lot", whole({ exits_of: "lot" }), "/exits_of", "contradiction"],
  [
    "exits of an average",
    whole({ lots: "average", exits_of: "position" }),
    "/exits_of",
    "contradiction"
  ],
  [
    "a part at the top that nothing uses",
    whole({ sizing: risked, exits: stopped, long: { enter, exits: stopped } }),
    "/exits",
    "contradiction"
  ],
  [
    "risk of a side without a stop",
    whole({ sizing: risked, long: { enter, exits: { time_limit: 4 } } }),
    "/sizing/type",
    "stop_loss_required"
  ]
]

const wholeCases: ReadonlyArray<Case> = [
  ["rules and a grid", whole({ grid: lines }), "/grid", "contradiction"],
  [
    "a grid and rebalancing",
    gridded({}, { rebalance: { weight: 1, band: 0 } }),
    "/rebalance",
    "contradiction"
  ],
  ["code and a grid", gridded({}, { code: "mine" }), "/grid", "contradiction"],
  ["a grid upside down", gridded({ lower: 300 }), "/grid", "out_of_bounds"],
  [
    "a grid that a parameter turns",
    gridded({ upper: { parameter: "top" } }, { parameters: { top: float(90, 200) } }),
    "/grid",
    "out_of_bounds"
  ],
  ["a grid of one line", gridded({ lines: 1 }), "/grid/lines", "out_of_bounds"],
  ["a grid of 201 lines", gridded({ lines: 201 }), "/grid/lines", "out_of_bounds"],
  ["a grid at zero", gridded({ lower: 0 }), "/grid/lower", "out_of_bounds"],
  ["a grid with an entry", gridded({}, { entry: { type: "market" } }), "/entry", "contradiction"],
  ["a grid with lots", gridded({}, apart), "/lots", "contradiction"],
  [
    "a grid with a time limit",
    gridded({}, { exits: { time_limit: 3 } }),
    "/exits/time_limit",
    "contradiction"
  ],
  [
    "a grid with a moving stop",
    gridded({}, { exits: { stop_loss: { type: "atr", period: 3, multiple: 2 } } }),
    "/exits/stop_loss/type",
    "contradiction"
  ],
  [
    "a grid sized by risk",
    gridded({}, { sizing: risked, exits: stopped }),
    "/sizing/type",
    "contradiction"
  ],
  ["a weight of nothing", weighing({ weight: 0 }), "/rebalance/weight", "out_of_bounds"],
  ["a weight with a stop", weighing({}, { exits: stopped }), "/exits", "contradiction"],
  ["a weight with re-entry", weighing({}, { reentry: {} }), "/reentry", "contradiction"],
  [
    "a fault in the rule of rebalancing",
    weighing({ when: { ...enter, right: rsi } }),
    "/rebalance/when",
    "unit_mismatch"
  ],
  [
    "overlap without a limit",
    overlapping({ max_positions: undefined }),
    "/overlap",
    "limit_required"
  ],
  ["overlap of ladders", overlapping({ additions: [dip] }), "/additions", "contradiction"],
  [
    "overlap of ladders of a side",
    overlapping({ long: { enter, targets: [half] } }),
    "/long/targets",
    "contradiction"
  ],
  ["overlap with lots", overlapping(apart), "/lots", "contradiction"]
]

const sound: ReadonlyArray<readonly [name: string, definition: StrategyDefinition]> = [
  ["additions of every kind", whole({ additions: [dip, { name: "up", in_favour: 2 }] })],
  ["an addition by a rule", byRule({ times: 3, entry: { type: "stop", offset: 0.01 } })],
  ["exits of a lot", adding({ exits: stopped, sizing: risked }, apart)],
  ["risk of an addition by the stop of its side", adding({ sizing: risked }, { exits: stopped })],
  ["additions beside safety orders", averaging({}, { additions: [dip] })],
  [
    "safety orders of a short far away",
    whole({
      long: undefined,
      short: { enter, safety_orders: { ...safety, distance: 0.9 } }
    })
  ],
  ["thirds", aiming(...[1, 2, 3].map(() => ({ ...half, portion: 1 / 3 })))],
  ["tenths", aiming(...Array.from({ length: 10 }, () => ({ ...half, portion: 0.1 })))],
  ["reductions by name", reducing({ lot: "dip" }, { ...apart, additions: [dip] })],
  ["the first lot by name", reducing({ lot: "base" }, apart)],
  [
    "a part of one side and that of the top for the other",
    whole({ exits: stopped, short: { enter, exits: { time_limit: 3 } } })
  ],
  ["a grid", gridded({ spacing: "geometric" }, { exits: stopped })],
  ["rebalancing", weighing({ when: enter })],
  ["overlapping positions", overlapping({ exits: stopped, sizing: risked })],
  ["a ladder for code", whole({ long: undefined, code: "mine", safety_orders: safety })]
]

describe("the checks of ladders", () => {
  it.each([...orderCases, ...additionCases, ...exitCases, ...wholeCases])(
    "point at %s",
    (_, given, pointer, code) => {
      const definition = JSON.parse(JSON.stringify(given))
      const found = checkStrategy(definition).map((fault) => `${fault.pointer} ${fault.code}`)
      assert.include(found, `${pointer} ${code}`)
    }
  )

  it.each(sound)("accept %s", (_, given) => {
    assert.deepStrictEqual(checkStrategy(JSON.parse(JSON.stringify(given))), [])
  })

  it("tell a fault that two sides share once", () => {
    const definition = whole({ sizing: risked, short: { enter } })
    assert.deepStrictEqual(
      checkStrategy(definition).map(({ pointer }) => pointer),
      ["/sizing/type"]
    )
  })
})

describe("a mandatory stop loss", () => {
  const risk = { is_stop_loss_mandatory: true }
  const placesOf = (definition: StrategyDefinition) =>
    checkStrategy(definition, risk).map(({ pointer }) => pointer)

  it("is one of each side", () => {
    const one = whole({ exits: stopped, short: { enter, exits: { time_limit: 9 } } })
    assert.deepStrictEqual(placesOf(one), ["/short/exits/stop_loss"])
    assert.isTrue(lacksStopLoss(one, risk))
    const both = whole({ exits: stopped, short: { enter, exits: stopped } })
    assert.deepStrictEqual(placesOf(both), [])
    assert.isFalse(lacksStopLoss(both, risk))
  })

  it("is one of each lot with exits of its own", () => {
    const definition = adding({ exits: { time_limit: 9 } }, { ...apart, exits: stopped })
    assert.deepStrictEqual(placesOf(definition), ["/additions/0/exits/stop_loss"])
  })

  it("is what a grid may have, and rebalancing has not", () => {
    assert.deepStrictEqual(placesOf(gridded({}, { exits: stopped })), [])
    assert.isTrue(lacksStopLoss(gridded({}), risk))
    assert.isTrue(lacksStopLoss(weighing({}), risk))
  })
})
