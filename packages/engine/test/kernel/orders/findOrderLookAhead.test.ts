/**
 * Code strategies that peek are named, those that don't are not.
 */
import { assert, describe, it } from "@effect/vitest"
import type { CandleColumns } from "../../../src/kernel/columns.ts"
import { smaColumn } from "../../../src/kernel/indicators/sma.ts"
import { defineStrategy } from "../../../src/kernel/orders/defineStrategy.ts"
import { findOrderLookAhead } from "../../../src/kernel/orders/findOrderLookAhead.ts"
import { makeRandom } from "../../../src/kernel/random.ts"
import { drawCandles } from "../../laws/drawnCandles.ts"

const candles = drawCandles(makeRandom("look-ahead"), "1h", 400)

/** In while the close is above a line. */
const following = (line: (candles: CandleColumns) => ArrayLike<number>) =>
  defineStrategy({
    parameters: {},
    indicators: (columns) => ({ line: line(columns) }),
    onCandle: ({ buy, candle, close, trades, value }) => {
      const isAbove = candle().close > value("line")
      if (isAbove && trades().length === 0) buy()
      if (!isAbove) close()
    }
  })

const meanOf = (values: Float64Array): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

describe("findOrderLookAhead", () => {
  it("finds nothing where nothing is looked ahead at", () => {
    assert.deepStrictEqual(
      findOrderLookAhead(
        candles,
        following(({ close }) => smaColumn([close], [10])[0]!)
      ),
      []
    )
    const idle = defineStrategy({ parameters: {}, onCandle: () => {} })
    assert.deepStrictEqual(findOrderLookAhead(candles, idle), [])
  })

  it("names a mean around each candle, from the first cut on", () => {
    const centred = following(({ close, length }) =>
      Float64Array.from({ length }, (_, at) => meanOf(close.slice(Math.max(0, at - 3), at + 4)))
    )
    const found = findOrderLookAhead(candles, centred)
    assert.deepInclude(found, { indicator: "line", index: Math.floor(400 / 13) - 3 })
  })

  it("names a scale of the whole series, and what was done with it", () => {
    const scaled = following(({ close, length }) => new Float64Array(length).fill(meanOf(close)))
    const found = findOrderLookAhead(candles, scaled)
    assert.deepInclude(found, { indicator: "line", index: 0 })
    assert.isTrue(found.some(({ indicator }) => indicator === null))
  })

  it("names a strategy that has the candles from elsewhere", () => {
    const peeking = (columns: CandleColumns) =>
      defineStrategy({
        parameters: {},
        indicators: ({ close }) => {
          known = close
          return {}
        },
        onCandle: ({ buy, close, index, trades }) => {
          const rises = (known[index + 1] ?? columns.close[0]!) > known[index]!
          if (rises && trades().length === 0) buy()
          if (!rises) close()
        }
      })
    let known: Float64Array = candles.close
    const found = findOrderLookAhead(candles, peeking(candles))
    assert.deepStrictEqual(
      found.map(({ indicator }) => indicator),
      [null]
    )
  })

  it("refuses an indicator that is too short", () => {
    const short = following(() => new Float64Array(3))
    assert.throws(() => findOrderLookAhead(candles, short), RangeError)
  })
})
