import { assert, describe, it } from "@effect/vitest"
import { onLot } from "../../src/engine/kernels/lots.ts"
import { setCosts } from "../../src/engine/kernels/market.ts"
import { floorToLot } from "../../src/kernel/fill.ts"
import { makeRandom } from "../../src/kernel/random.ts"

const lots = [0, 1e-8, 1e-6, 3e-5, 0.001, 0.1, 1 / 3, 0.3333333333333, 0.7, 1, 2, 25, 49]

/** The double that is so many places above a positive one, or below it. */
const placesFrom = (value: number, places: number): number => {
  const words = new BigInt64Array(Float64Array.of(value).buffer)
  words[0] = words[0]! + BigInt(places)
  return new Float64Array(words.buffer)[0]!
}

describe("quantities of the fast path", () => {
  it("are cut to the same lots as those of a backtest, also where they hardly miss one", () => {
    const random = makeRandom("lots")
    for (const lot of lots) {
      setCosts(0, 0, 0, 0, lot, 0)
      for (let drawn = 0; drawn < 4_000; drawn++) {
        const step = lot === 0 ? 1 : lot
        const count = Math.ceil(10 ** (random.next() * random.pick([1, 3, 8, 13])))
        const missing = random.pick([0, 1e-12, 1e-12, 2e-12, random.next() / count])
        const wanted = count * step * (1 - missing)
        const amount = placesFrom(wanted, random.integer(-40, 40))
        assert.strictEqual(onLot(amount), floorToLot(amount, lot), `${amount} on lots of ${lot}`)
      }
    }
  })
})
