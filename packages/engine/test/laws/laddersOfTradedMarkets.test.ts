/**
 * A ladder orders in the markets that it trades, and in none that it only reads.
 */
import { assert, describe, it } from "@effect/vitest"
import { backtest } from "../../src/research/backtest.ts"
import { randomLadder } from "../../src/testing/randomLadder.ts"
import { drawCandles } from "./drawnCandles.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

describe("a ladder of one market that reads another", () => {
  it("trades the one alone", () => {
    let fillCount = 0
    for (const { number, random } of draws("ladders of traded markets", 100)) {
      const symbols = ["AAA/USD", "BBB/USD"] as const
      const drawn = randomLadder(random.next, { symbols, depth: 3 })
      const definition = { ...drawn, trades: ["AAA/USD"] as const }
      const candles = Object.fromEntries(
        symbols.map((symbol) => [symbol, drawCandles(random, drawn.timeframe, 150)])
      )
      const { fills } = backtest(candles, definition, { market: { canShort: true } })
      for (const { market } of fills) assert.strictEqual(market, 0, `ladder ${number}`)
      fillCount += fills.length
    }
    assert.isAbove(fillCount, atLeast(300))
  })
})
