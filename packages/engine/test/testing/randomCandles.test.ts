import { assert, describe, it } from "@effect/vitest"
import { type CandleColumns, columnNames } from "../../src/kernel/columns.ts"
import {
  roundToTicks,
  randomCandles,
  randomWalk,
  withFlat,
  withGap,
  withSpike
} from "../../src/testing/randomCandles.ts"

const stepMs = 3_600_000
const listed = (columns: CandleColumns) => columnNames.map((name) => [...columns[name]])

const isSound = (columns: CandleColumns): void => {
  const { close, high, length, low, open, time, volume } = columns
  for (const name of columnNames) assert.lengthOf(columns[name], length)
  for (let index = 0; index < length; index++) {
    assert.isAbove(low[index]!, 0)
    assert.isAtMost(low[index]!, Math.min(open[index]!, close[index]!))
    assert.isAtLeast(high[index]!, Math.max(open[index]!, close[index]!))
    assert.isAtLeast(volume[index]!, 0)
    if (index === 0) continue
    const between = time[index]! - time[index - 1]!
    assert.isAbove(between, 0)
    assert.strictEqual(between % stepMs, 0)
  }
}

describe("randomCandles", () => {
  it("makes equal candles of equal seeds, and others of others", () => {
    for (const make of [randomWalk, randomCandles]) {
      const once = listed(make(5, { count: 200 }))
      assert.deepStrictEqual(listed(make(5, { count: 200 })), once)
      assert.notDeepEqual(listed(make(6, { count: 200 })), once)
    }
  })

  it("makes sound candles, whatever the seed and the length", () => {
    for (let seed = 0; seed < 300; seed++) isSound(randomCandles(seed, { count: seed }))
  })

  it("makes gaps, flat stretches and ties in some of them", () => {
    const seen = { gap: 0, flat: 0, tie: 0 }
    for (let seed = 0; seed < 60; seed++) {
      const { high, length, low, close, time } = randomCandles(seed, { count: 300 })
      if (length < 300 && time[length - 1]! - time[0]! >= length * stepMs) seen.gap++
      if (high.some((price, index) => price === low[index])) seen.flat++
      if (new Set(close).size < length) seen.tie++
    }
    for (const count of Object.values(seen)) assert.isAbove(count, 10)
  })

  it("changes only the candles that it is asked to change", () => {
    const columns = randomWalk(1, { count: 20 })
    const before = listed(columns)
    const gap = withGap(columns, 5, 3)
    assert.deepStrictEqual([...gap.time], [...columns.time.slice(0, 5), ...columns.time.slice(8)])
    const spike = withSpike(columns, 4, 0.5)
    assert.strictEqual(spike.high[4], columns.high[4]! * 1.5)
    assert.deepStrictEqual(spike.high.slice(5), columns.high.slice(5))
    const flat = withFlat(columns, 10, 2)
    assert.deepStrictEqual(flat.close.slice(9, 12), new Float64Array(3).fill(columns.close[9]!))
    assert.strictEqual(flat.close[12], columns.close[12])
    for (const price of roundToTicks(columns, 0.5).close) assert.strictEqual(price % 0.5, 0)
    for (const changed of [gap, spike, flat]) isSound(changed)
    assert.deepStrictEqual(listed(columns), before)
  })
})
