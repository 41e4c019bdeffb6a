/**
 * Shorter candles change nothing where the longer ones leave nothing open. A backtest in which no
 * candle is ambiguous has the same fills with them, over the whole language.
 */
import { assert, describe, it } from "@effect/vitest"
import { hourMs } from "../../src/kernel/calendar.ts"
import { resampleColumns } from "../../src/kernel/resample.ts"
import { backtest } from "../../src/research/backtest.ts"
import { candles } from "../../src/research/candles.ts"
import { randomLadder } from "../../src/testing/randomLadder.ts"
import { checkStrategy } from "../../src/language/checkStrategy.ts"
import { drawStrategy } from "./drawnStrategies.ts"
import { drawCandles } from "./drawnCandles.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

/** How much the runs must hold to prove something: about four fifths of what they do hold. */
const floors = {
  fills: 2_400,
  protective: 700,
  certain: 320,
  trading: 170,
  ambiguous: 70,
  decided: 28
}

describe("shorter candles", () => {
  it("change no fill of a backtest without an ambiguous candle, and some of the others", () => {
    const seen = { fills: 0, protective: 0, certain: 0, trading: 0, ambiguous: 0, decided: 0 }
    for (const { number, random } of draws("detail", 500)) {
      const detail = drawCandles(random, "1h", 600)
      const columns = candles(resampleColumns(detail, hourMs, 4 * hourMs))
      const definition = drawStrategy(random.next, {
        symbols: ["BTC/USD"],
        timeframe: "4h",
        depth: random.integer(2, 3)
      })
      const options = { fill: random.pick(["next_open", "close"] as const) }
      const coarse = backtest(columns, definition, options)
      const told = backtest(columns, definition, { ...options, detail })
      if (coarse.ambiguousCount === 0) {
        assert.deepStrictEqual(told.fills, coarse.fills, JSON.stringify({ number, definition }))
        seen.certain += 1
        seen.fills += told.fills.length
        if (told.fills.length > 0) seen.trading += 1
        seen.protective += told.fills.filter(({ leg }) => leg !== "entry" && leg !== "exit").length
      } else {
        seen.ambiguous += 1
        if (told.ambiguousCount < coarse.ambiguousCount) seen.decided += 1
      }
    }
    for (const [what, least] of Object.entries(floors)) {
      assert.isAtLeast(seen[what as keyof typeof floors], atLeast(least), what)
    }
  })

  it("do so where positions are built and left in parts", () => {
    const seen = { certain: 0, ambiguous: 0, decided: 0 }
    for (const { number, random } of draws("detail of ladders", 500)) {
      const symbols = ["BTC/USD"] as const
      const drawn = randomLadder(random.next, { symbols, depth: 2 })
      const detail = drawCandles(random, "1h", 400)
      const columns = candles(resampleColumns(detail, hourMs, 4 * hourMs))
      const definition = { ...drawn, timeframe: "4h" } as const
      if (checkStrategy(definition).length > 0) continue
      const options = { fill: random.pick(["next_open", "close"] as const) }
      const coarse = backtest(columns, definition, options)
      const told = backtest(columns, definition, { ...options, detail })
      if (coarse.ambiguousCount === 0) {
        assert.deepStrictEqual(told.fills, coarse.fills, JSON.stringify({ number, definition }))
        if (told.fills.length > 0) seen.certain += 1
      } else {
        seen.ambiguous += 1
        if (told.ambiguousCount < coarse.ambiguousCount) seen.decided += 1
      }
    }
    assert.isAtLeast(seen.certain, atLeast(150))
    assert.isAtLeast(seen.ambiguous, atLeast(80))
    assert.isAtLeast(seen.decided, atLeast(30))
  })
})
