import { assert, describe, it } from "@effect/vitest"
import { checkLanguage, checkStrategy } from "../../src/language/checkStrategy.ts"
import { enter, whole } from "./untypedStrategy.ts"

const half = { type: "equity_fraction", fraction: 0.5 }
const limit = { type: "limit", offset: 0.01 }
const sma = { type: "sma", period: 20 }
const addition = { name: "dip", against: 0.05 }
const safety = { count: 3, distance: 0.02, distance_factor: 1.5, size_factor: 2 }
const grid = { lower: 100, upper: 200, lines: 11, spacing: "arithmetic" }
const entry = (changes: object) => whole({ entry: { ...limit, ...changes } })

const cases: ReadonlyArray<readonly [part: string, definition: object, pointer: string]> = [
  ["safety orders", whole({ safety_orders: safety }), "/safety_orders"],
  ["targets", whole({ targets: [{ at: { type: "fraction", value: 1 }, portion: 1 }] }), "/targets"],
  ["additions", whole({ additions: [addition] }), "/additions"],
  ["reductions", whole({ reductions: [{ when: enter, portion: 0.5 }] }), "/reductions"],
  ["a grid", whole({ long: undefined, grid }), "/grid"],
  ["rebalancing", whole({ long: undefined, rebalance: { weight: 1, band: 0 } }), "/rebalance"],
  ["a part of one side", whole({ long: { enter, sizing: half } }), "/long/sizing"],
  [
    "a level as the price of an entry",
    whole({ entry: { type: "limit", level: sma, expires_after: 3 } }),
    "/entry"
  ],
  [
    "a stop-limit entry",
    entry({ type: "stop_limit", limit_offset: 0.01, expires_after: 3 }),
    "/entry"
  ],
  ["an entry until a time", entry({ until: "2030-01-01T00:00:00.000Z" }), "/entry"],
  ["an immediate entry", entry({ immediate: true }), "/entry"],
  ["an entry good till cancelled", entry({}), "/entry"],
  [
    "a group of entries of which one cancels the others",
    whole({
      entry: {
        type: "one_cancels_other",
        orders: [
          { ...limit, expires_after: 1 },
          { ...limit, expires_after: 2 }
        ]
      }
    }),
    "/entry"
  ],
  ["a choice of lots", whole({ lots: "first_in_first_out" }), "/lots"],
  ["a choice of exits for lots", whole({ lots: "by_name", exits_of: "lot" }), "/exits_of"],
  ["overlapping positions", whole({ overlap: true, max_positions: 2 }), "/overlap"]
]

describe("a part that no engine runs yet", () => {
  it.each(cases)("is refused by name: %s", (part, given, pointer) => {
    const definition = JSON.parse(JSON.stringify(given))
    assert.deepStrictEqual(checkLanguage(definition), [])
    assert.deepInclude(checkStrategy(definition), {
      pointer,
      code: "does_not_run_yet",
      message: `No engine runs this part yet: ${part}`
    })
  })

  it("is found within additions and groups", () => {
    const orders = [{ ...limit, expires_after: 1 }, limit]
    const definition = whole({
      additions: [{ name: "more", enter, entry: { type: "one_cancels_other", orders } }]
    })
    const pointers = checkStrategy(definition).map((one) => one.pointer)
    assert.sameMembers(pointers, [
      "/additions",
      "/additions/0/entry",
      "/additions/0/entry/orders/1"
    ])
  })
})
