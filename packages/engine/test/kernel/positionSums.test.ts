/**
 * Closed positions that are added up one by one give what all of them together give.
 */
import { assert, describe, it } from "@effect/vitest"
import { averageLoss } from "../../src/kernel/metrics/averageLoss.ts"
import { averageWin } from "../../src/kernel/metrics/averageWin.ts"
import { expectancy } from "../../src/kernel/metrics/expectancy.ts"
import { grossLoss } from "../../src/kernel/metrics/grossLoss.ts"
import { grossProfit } from "../../src/kernel/metrics/grossProfit.ts"
import { addPosition, makePositionSums } from "../../src/kernel/metrics/positionSums.ts"
import { sqn } from "../../src/kernel/metrics/sqn.ts"
import { winRate } from "../../src/kernel/metrics/winRate.ts"
import { makeRandom } from "../../src/kernel/random.ts"
import { arithmeticMean, standardDeviation } from "../../src/kernel/statistics.ts"

const sum = (values: ReadonlyArray<number>): number => values.reduce((all, one) => all + one, 0)

describe("sums of closed positions", () => {
  it("are those of the whole list, to the bit, and are kept between any two", () => {
    for (let number = 0; number < 50; number++) {
      const random = makeRandom(`position sums ${number}`)
      const closed = Array.from({ length: random.integer(1, 300) }, (_, at) => ({
        pnl: random.integer(0, 9) === 0 ? 0 : 100 * random.normal() + 5,
        returnRate: 0.02 * random.normal(),
        entryIndex: at,
        exitIndex: at + random.integer(0, 40)
      }))
      let sums = makePositionSums()
      for (const one of closed) {
        addPosition(sums, one)
        sums = JSON.parse(JSON.stringify(sums)) as typeof sums
      }
      const { pnls, returns } = sums
      const results = closed.map(({ pnl }) => pnl)
      const rates = closed.map(({ returnRate }) => returnRate)
      const wins = results.filter((pnl) => pnl > 0)
      const losses = results.filter((pnl) => pnl < 0)
      assert.strictEqual(pnls.count, closed.length)
      assert.strictEqual(winRate(pnls), wins.length / closed.length)
      assert.strictEqual(grossProfit(pnls), sum(wins))
      assert.strictEqual(grossLoss(pnls), sum(losses))
      assert.deepStrictEqual(
        [averageWin(pnls), averageLoss(pnls)],
        [arithmeticMean(wins), arithmeticMean(losses)]
      )
      assert.deepStrictEqual([pnls.best, pnls.worst], [Math.max(...results), Math.min(...results)])
      assert.strictEqual(expectancy(pnls), arithmeticMean(results))
      assert.deepStrictEqual(
        [returns.best, returns.worst],
        [Math.max(...rates), Math.min(...rates)]
      )
      assert.strictEqual(expectancy(returns), arithmeticMean(rates))
      assert.strictEqual(
        pnls.unwonCount,
        results.length - 1 - results.findLastIndex((pnl) => pnl > 0)
      )
      assert.strictEqual(
        sums.heldCount,
        sum(closed.map(({ entryIndex, exitIndex }) => exitIndex - entryIndex))
      )
      if (closed.length < 2) continue
      const quality =
        (Math.sqrt(closed.length) * arithmeticMean(results)) / standardDeviation(results)
      assert.closeTo(sqn(pnls), quality, 1e-12 * Math.max(1, Math.abs(quality)))
    }
  })
})
