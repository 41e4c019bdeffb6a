import { assert, describe, it } from "@effect/vitest"
import { samplePoint, searchSpace } from "../../src/language/searchSpace.ts"
import { makeRandom } from "../../src/kernel/random.ts"
import { drawStrategy } from "./drawnStrategies.ts"
import { drawCandles } from "./drawnCandles.ts"
import { simulateOn } from "./simulated.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

const drawn = (seed: string) => {
  const random = makeRandom(seed)
  const definition = drawStrategy(random.next, { symbols: ["AAA/USD", "BBB/USD"] })
  const candles = [1, 2].map(() => drawCandles(random, definition.timeframe, 200))
  const point = samplePoint(searchSpace(definition), random.next)
  return { definition, candles, point }
}

describe("same seed, same result", () => {
  it("draws the same strategy, candles and parameters, and simulates them to the same bits", () => {
    let fillCount = 0
    for (const { seed } of draws("same seed", 100)) {
      const one = drawn(seed)
      const other = drawn(seed)
      assert.deepStrictEqual(other, one)
      const simulation = simulateOn(one.definition, one.candles)
      assert.deepStrictEqual(simulateOn(other.definition, other.candles), simulation)
      assert.deepStrictEqual(simulateOn(one.definition, one.candles), simulation)
      fillCount += simulation.fills.length
    }
    assert.isAbove(fillCount, atLeast(500))
  })

  it("draws other strategies with other seeds", () => {
    const drawings = Array.from({ length: 50 }, (_, number) =>
      JSON.stringify(drawStrategy(makeRandom(`seed ${number}`).next))
    )
    assert.strictEqual(new Set(drawings).size, 50)
  })
})
