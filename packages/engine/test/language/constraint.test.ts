import { assert, describe, it } from "@effect/vitest"
import { price, sma } from "../../src/language/buildSeries.ts"
import { above, integer, buildStrategy } from "../../src/language/buildStrategy.ts"
import {
  checkConstraints,
  drawnPoints,
  gridPoints,
  meetsConstraints
} from "../../src/language/constraint.ts"
import { searchSpace } from "../../src/language/searchSpace.ts"
import { makeRandom } from "../../src/kernel/random.ts"

const definition = buildStrategy({
  symbols: ["BTC/USD"],
  timeframe: "1h",
  parameters: { fast: integer(5, 1, 10), slow: integer(8, 1, 10) },
  long: ({ fast, slow }) => ({ enter: above(sma(fast), sma(slow)), exit: above(price.close, 1) })
})

const space = searchSpace(definition)

describe("constraints between parameters", () => {
  it("compare parameters and numbers, each as it is written", () => {
    const values = { fast: 5, slow: 8 }
    for (const [text, expected] of [
      ["fast < slow", true],
      ["fast>slow", false],
      ["fast <= 5", true],
      ["fast != 5", false],
      ["8 >= slow", true],
      ["slow < -1e3", false]
    ] as const) {
      assert.strictEqual(meetsConstraints([text], values), expected, text)
    }
    assert.isFalse(meetsConstraints(["fast < slow", "fast > 5"], values))
  })

  it("are at fault where they name no parameter, or another one", () => {
    const faults = checkConstraints(space, ["fast < slow", "quick < slow", "1 < 2"])
    assert.deepStrictEqual(
      faults.map(({ code, pointer }) => `${pointer} ${code}`),
      ["/constraints/1 unknown_parameter", "/constraints/2 not_allowed"]
    )
  })

  it("leave the points of a grid that meet them, or an even walk through these", () => {
    const all = gridPoints(space, 100, ["fast < slow"])
    assert.lengthOf(all, 45)
    assert.isTrue(all.every(({ fast, slow }) => fast! < slow!))
    const some = gridPoints(space, 9, ["fast < slow"])
    assert.lengthOf(some, 9)
    assert.deepStrictEqual(
      some.map((point) => all.findIndex((one) => JSON.stringify(one) === JSON.stringify(point))),
      [0, 5, 10, 15, 20, 25, 30, 35, 40]
    )
    assert.lengthOf(gridPoints(space, 7), 7)
  })

  it("are met by each set that is drawn, and the others are as without them", () => {
    const random = makeRandom(1)
    const next = (index: number) => random.fork(index).next
    const free = drawnPoints(space, 50, next)
    const met = drawnPoints(space, 50, next, ["fast < slow"])
    assert.lengthOf(met, 50)
    free.forEach((point, index) => {
      if (point["fast"]! < point["slow"]!) assert.deepStrictEqual(met[index], point)
      else assert.isBelow(met[index]!["fast"]!, met[index]!["slow"]!)
    })
    assert.deepStrictEqual(drawnPoints(space, 5, next, ["fast > 10"]), [])
  })
})
