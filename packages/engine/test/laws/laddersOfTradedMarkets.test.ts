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
    const fillCounts = [0, 0]
    for (const { number, random } of draws("ladders of traded markets", 200)) {
      const symbols = ["AAA/USD", "BBB/USD"] as const
      const drawn = randomLadder(random.next, { symbols, depth: 3 })
      const traded = random.integer(0, 1)
      const definition = { ...drawn, trades: [symbols[traded]!] as const }
      const candles = Object.fromEntries(
        symbols.map((symbol) => [symbol, drawCandles(random, drawn.timeframe, 150)])
      )
      const { fills } = backtest(candles, definition, { market: { canShort: true } })
      for (const { market } of fills) assert.strictEqual(market, traded, `ladder ${number}`)
      fillCounts[traded]! += fills.length
    }
    for (const count of fillCounts) assert.isAbove(count, atLeast(300))
  })
})
