/**
 * Sums over a whole curve equal the results of the kernels of single metrics, to the bit.
 */
import { assert, describe, it } from "@effect/vitest"
import { drawdowns } from "../../src/kernel/metrics/drawdowns.ts"
import { deepestFall, sumEquity } from "../../src/kernel/metrics/equitySums.ts"
import { maxDrawdown } from "../../src/kernel/metrics/maxDrawdown.ts"
import { ulcerIndex } from "../../src/kernel/metrics/ulcerIndex.ts"
import { arithmeticMean } from "../../src/kernel/statistics.ts"
import type { Random } from "../../src/kernel/random.ts"
import { draws } from "../../../../test/draws.ts"

/** A walk with ties, and now and then at its peak again. */
const drawCurve = (random: Random): Float64Array => {
  let equity = 100
  return Float64Array.from({ length: random.integer(1, 80) }, () => {
    equity = random.next() < 0.2 ? equity : Math.round(equity + random.normal() * 3)
    return equity
  })
}

describe("the sums of an equity curve", () => {
  it("are those of the single metrics", () => {
    for (const { random } of draws("equity sums", 400)) {
      const equity = drawCurve(random)
      const falls = drawdowns(100, equity)
      const { deepest, falls: sums, squares, sum } = sumEquity(100, equity)
      assert.strictEqual(deepest, maxDrawdown(100, equity).rate)
      assert.strictEqual(deepestFall(100, equity), deepest)
      assert.strictEqual(Math.sqrt(squares / equity.length), ulcerIndex(100, equity))
      assert.strictEqual(sum / equity.length, arithmeticMean(equity))
      assert.deepStrictEqual(sums, {
        count: falls.length,
        rates: falls.reduce((all, { rate }) => all + rate, 0),
        candles: falls.reduce((all, { candleCount }) => all + candleCount, 0),
        longest: falls.reduce((most, { candleCount }) => Math.max(most, candleCount), 0)
      })
    }
  })
})
