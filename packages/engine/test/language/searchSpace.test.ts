import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { price, sma } from "../../src/language/buildSeries.ts"
import { above, choice, float, integer, buildStrategy } from "../../src/language/buildStrategy.ts"
import {
  defaultValues,
  narrowSpace,
  pointAt,
  resolveParameters,
  samplePoint,
  searchSpace,
  withDefaults
} from "../../src/language/searchSpace.ts"
import { makeRandom } from "../../src/kernel/random.ts"

const definition = buildStrategy({
  symbols: ["BTC/USD"],
  timeframe: "1h",
  parameters: {
    fast: integer(5, 2, 10, 4),
    rate: float(0.2, 0.1, 0.3, { step: 0.1 }),
    kind: choice(1, 1, 7)
  },
  long: ({ fast }) => ({ enter: above(price.close, sma(fast)) })
})

const codes = (result: Result.Result<unknown, ReadonlyArray<{ pointer: string; code: string }>>) =>
  Result.isFailure(result) ? result.failure.map(({ pointer, code }) => `${pointer} ${code}`) : []

describe("searchSpace", () => {
  it("names every point of a grid once, without the rounding of decimal steps", () => {
    const space = searchSpace(definition)
    assert.strictEqual(space.size, 18)
    const points = Array.from({ length: 18 }, (_, index) => pointAt(space, index))
    assert.strictEqual(new Set(points.map((point) => JSON.stringify(point))).size, 18)
    assert.deepStrictEqual(points[0], { fast: 2, rate: 0.1, kind: 1 })
    assert.deepStrictEqual(points[17], { fast: 10, rate: 0.3, kind: 7 })
    for (const point of points)
      assert.isTrue(Result.isSuccess(resolveParameters(definition, point)))
  })

  it("stays within bounds that have more digits than it rounds to", () => {
    const definition = { parameters: { x: float(0.4, 1 / 3, 2 / 3, { step: 1 / 9 }) } }
    const space = searchSpace(definition)
    const values = Array.from({ length: space.size! }, (_, index) => pointAt(space, index))
    assert.strictEqual(values[0]?.["x"], 1 / 3)
    for (const point of values) {
      assert.isTrue(Result.isSuccess(resolveParameters(definition, point)), JSON.stringify(point))
    }
  })

  it("has no size where an axis is continuous", () => {
    const parameters = { ...definition.parameters, share: float(1, 0.5, 2) }
    assert.isNull(searchSpace({ parameters }).size)
  })

  it("draws points within the bounds, on logarithmic axes too", () => {
    const parameters = { ...definition.parameters, share: float(1, 0.01, 100, { log: true }) }
    const space = searchSpace({ parameters })
    const random = makeRandom("points")
    let below = 0
    for (let draw = 0; draw < 500; draw += 1) {
      const point = samplePoint(space, random.next)
      assert.isTrue(Result.isSuccess(resolveParameters({ parameters }, point)))
      if (point["share"]! < 1) below += 1
    }
    assert.isAbove(below, 200)
    assert.isBelow(below, 300)
  })

  it("takes overrides and says what is wrong with the others", () => {
    const found = resolveParameters(definition, { fast: 3 })
    assert.deepStrictEqual(Result.isSuccess(found) && found.success, {
      ...defaultValues(definition),
      fast: 3
    })
    const faults = resolveParameters(definition, { fast: 2.5, rate: 9, kind: 2, slow: 1 })
    assert.deepStrictEqual(codes(faults), [
      "/parameters/fast not_an_integer",
      "/parameters/rate out_of_bounds",
      "/parameters/kind out_of_bounds",
      "/parameters/slow unknown_parameter"
    ])
  })

  it("narrows by ranges and refuses those that a strategy can't take", () => {
    const narrowed = narrowSpace(definition, [{ name: "fast", min: 3, max: 5, step: 1 }])
    assert.strictEqual(Result.isSuccess(narrowed) && narrowed.success.size, 18)
    const faults = narrowSpace(definition, [
      { name: "slow", min: 1, max: 2 },
      { name: "rate", min: 2, max: 1 },
      { name: "kind", min: 2, max: 3 },
      { name: "fast", min: 1.5, max: 2 }
    ])
    assert.deepStrictEqual(codes(faults), [
      "/parameters/0 unknown_parameter",
      "/parameters/1 out_of_bounds",
      "/parameters/2 out_of_bounds",
      "/parameters/3 not_an_integer"
    ])
    const tooWide = narrowSpace(definition, [{ name: "fast", min: 0, max: 8, step: 1 }])
    assert.deepStrictEqual(codes(tooWide), ["/parameters out_of_bounds"])
  })

  it("promotes a point to the defaults", () => {
    const point = { fast: 10, rate: 0.3, kind: 7 }
    assert.deepStrictEqual(defaultValues(withDefaults(definition, point)), point)
  })
})
