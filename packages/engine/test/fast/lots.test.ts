import { assert, describe, it } from "@effect/vitest"
import { tooSmallAt } from "../../src/fast/kernels/layout.ts"
import {
  countTooSmall,
  fillAll,
  orderAll,
  saveTooSmall,
  fillAllAtClose
} from "../../src/fast/kernels/lots.ts"
import { setCosts } from "../../src/fast/kernels/market.ts"
import { attachMemory, readWord } from "../../src/fast/kernels/memory.ts"
import { makeRandom } from "../../src/kernel/random.ts"

const lots = [0, 1e-8, 1e-6, 3e-5, 0.001, 0.1, 1 / 3, 0.3333333333333, 0.7, 1, 2, 25, 49]

/** The double that is so many places above a positive one, or below it. */
const placesFrom = (value: number, places: number): number => {
  const words = new BigInt64Array(Float64Array.of(value).buffer)
  words[0] = words[0]! + BigInt(places)
  return new Float64Array(words.buffer)[0]!
}

describe("quantities of the fast path", () => {
  it("are the same ordered and filled at once, also at the edge of too little", () => {
    const random = makeRandom("turns")
    const account = 0
    attachMemory(new ArrayBuffer(1_024))
    countTooSmall(account)
    const counted = (fill: () => number): readonly [number, number] => {
      saveTooSmall(account)
      const before = readWord(account + tooSmallAt)
      const amount = fill()
      saveTooSmall(account)
      return [amount, readWord(account + tooSmallAt) - before]
    }
    for (let drawn = 0; drawn < 60_000; drawn++) {
      const lot = random.pick(lots)
      const taker = random.pick([0, 0.001, 0.0004, -0.0002])
      const slippage = random.pick([0, 0.0005])
      const decided = 10 ** (random.next() * 7 - 3)
      const price = decided * (1 + random.pick([0, 0, 1e-7, -1e-7, 0.01, -0.01]) * random.next())
      setCosts(taker, 0, 0, slippage, 0, lot, 0)
      const most = decided * (1 + (taker + slippage))
      const equity = random.pick([1, 1.7, 40, 1e4, 1e9]) * random.pick([most * (lot || 1), decided])
      const cash = equity * (1 + random.pick([0, 1e-9, -1e-9, -0.02, 0.3, -1, -2]))
      const ordered = orderAll(equity, decided)
      const minNotional = random.pick([0, 5, placesFrom(ordered * decided + 1, -1) - 1])
      setCosts(taker, 0, 0, slippage, 0, lot, Math.max(0, minNotional))
      assert.deepStrictEqual(
        counted(() => fillAllAtClose(equity, decided, price, cash)),
        counted(() => fillAll(orderAll(equity, decided), price, cash)),
        JSON.stringify({ lot, taker, slippage, decided, price, equity, cash, minNotional })
      )
    }
  })
})
