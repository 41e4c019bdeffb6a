import { assert, describe, it } from "@effect/vitest"
import { timeframeMs, timeframeNames } from "../../../engine/src/language/Timeframe.ts"
import { columnNames } from "../../../engine/src/kernel/columns.ts"
import { syntheticCandles, syntheticCount } from "../../src/services/candles/syntheticCandles.ts"

describe("syntheticCandles", () => {
  for (const timeframe of timeframeNames) {
    it(`makes sound candles of ${timeframe} without a gap`, () => {
      const { close, high, length, low, open, time, volume } = syntheticCandles(timeframe)
      assert.strictEqual(length, syntheticCount(timeframe))
      for (let index = 0; index < length; index++) {
        const top = Math.max(open[index]!, close[index]!)
        const bottom = Math.min(open[index]!, close[index]!)
        assert.isTrue(high[index]! >= top && low[index]! <= bottom && low[index]! > 0)
        assert.isTrue(volume[index]! > 0)
        if (index === 0) continue
        assert.strictEqual(time[index]! - time[index - 1]!, timeframeMs(timeframe))
        assert.strictEqual(open[index], close[index - 1])
      }
    })
  }

  it("makes the same candles every time", () => {
    const first = syntheticCandles("4h")
    const second = syntheticCandles("4h")
    for (const name of columnNames) assert.deepStrictEqual(second[name], first[name])
  })

  it("begins its weeks on Mondays", () => {
    assert.strictEqual(new Date(syntheticCandles("1w").time[0]!).getUTCDay(), 1)
  })

  it("keeps decades of prices within a sane range", () => {
    for (const timeframe of timeframeNames) {
      const { high, low } = syntheticCandles(timeframe)
      assert.isTrue(Math.min(...low) > 10, timeframe)
      assert.isTrue(Math.max(...high) < 100_000, timeframe)
    }
  })

  it("has storms: the size of a move tells of the size of the next", () => {
    const { close, length } = syntheticCandles("15m")
    const sizes = Array.from({ length: length - 1 }, (_, index) =>
      Math.abs(Math.log(close[index + 1]! / close[index]!))
    )
    const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length
    let covariance = 0
    let variance = 0
    for (let index = 1; index < sizes.length; index++) {
      covariance += (sizes[index]! - mean) * (sizes[index - 1]! - mean)
      variance += (sizes[index]! - mean) ** 2
    }
    assert.isTrue(covariance / variance > 0.1)
  })
})
