/**
 * A search and a bot's warm-up know the parameters and the series of every part of a ladder.
 */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { defaultValues, narrowSpace, searchSpace } from "../../src/language/searchSpace.ts"
import { planStrategy } from "../../src/plan/planStrategy.ts"
import { planWarmup } from "../../src/plan/planWarmup.ts"
import { above, close, whole } from "./untypedStrategy.ts"

const soon = above(close, { type: "sma", period: 5 })
const late = above(close, { type: "sma", period: 150 })
const level = { type: "sma", period: 150 }
const atr = { type: "atr", period: 150, multiple: 2 }
const rules = { long: { enter: soon } }

const slow: ReadonlyArray<readonly [part: string, changes: object]> = [
  ["the level of an entry", { entry: { type: "limit", level } }],
  [
    "the level of an order of a group",
    {
      entry: {
        type: "one_cancels_other",
        orders: [
          { type: "stop", level },
          { type: "limit", level }
        ]
      }
    }
  ],
  ["the rule of an addition", { additions: [{ name: "more", enter: late }] }],
  [
    "the order of an addition",
    { additions: [{ name: "more", enter: soon, entry: { type: "stop", level } }] }
  ],
  [
    "the size of an addition",
    {
      additions: [
        { name: "dip", against: 0.1, sizing: { type: "volatility_target", target: 1, period: 150 } }
      ]
    }
  ],
  [
    "the exits of an addition",
    { lots: "by_name", additions: [{ name: "dip", against: 0.1, exits: { stop_loss: atr } }] }
  ],
  ["a target", { targets: [{ at: atr, portion: 1 }] }],
  ["a reduction", { reductions: [{ when: late, portion: 1 }] }],
  ["the exits of a side", { long: { enter: soon, exits: { take_profit: atr } } }],
  [
    "the size of a side",
    { long: { enter: soon, sizing: { type: "volatility_target", target: 1, period: 150 } } }
  ],
  [
    "the stop of a grid",
    {
      long: undefined,
      grid: { lower: 1, upper: 2, lines: 3, spacing: "arithmetic" },
      exits: { stop_loss: { type: "level", series: level } }
    }
  ],
  ["rebalancing", { long: undefined, rebalance: { weight: 1, band: 0, when: late } }]
]

describe("the warm-up of a ladder", () => {
  it.each(slow)("waits for %s", (_, changes) => {
    const definition = whole(JSON.parse(JSON.stringify({ ...rules, ...changes })))
    const plain = planWarmup(planStrategy(whole(rules), {}))
    assert.isBelow(plain, 10)
    assert.isAtLeast(planWarmup(planStrategy(definition, {})), 149)
  })
})

describe("the search space of a ladder", () => {
  const far = { kind: "float", default: 0.02, min: 0.01, max: 0.05, step: 0.01 }
  const count = { kind: "integer", default: 3, min: 2, max: 4 }
  const definition = whole({
    parameters: { far, count },
    safety_orders: {
      count: { parameter: "count" },
      distance: { parameter: "far" },
      distance_factor: 1.5,
      size_factor: 1
    }
  })

  it("has the parameters of its parts", () => {
    assert.strictEqual(searchSpace(definition).size, 15)
    assert.deepStrictEqual(defaultValues(definition), { far: 0.02, count: 3 })
  })

  it("is not widened to where a part has no meaning", () => {
    const widened = (name: string, max: number) =>
      narrowSpace(definition, [{ name, min: 0.01, max }])
    assert.isTrue(Result.isSuccess(widened("far", 0.1)))
    // Four orders that begin 15 % away end below a price of zero.
    const faults = Result.getOrThrow(Result.flip(widened("far", 0.15)))
    assert.deepStrictEqual(
      faults.map(({ code, pointer }) => `${pointer} ${code}`),
      ["/parameters out_of_bounds"]
    )
  })
})
