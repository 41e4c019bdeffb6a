/**
 * The page of the strategy format is derived from the schema, but for its sentences on distances:
 * they are held to exits here.
 */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import type { Exits } from "../../src/language/Exits.ts"
import { above, backtest, candles, price, strategy } from "../../src/research/index.ts"

const page = readFileSync(new URL("../../../../docs/strategy-format.md", import.meta.url), "utf8")

/** Hours at these closes; an open is the close before. */
const hoursAt = (closes: ReadonlyArray<number>) =>
  candles(
    closes.map((close, hour) => {
      const open = closes[hour - 1] ?? close
      const [low, high] = [Math.min(open, close), Math.max(open, close)]
      return { time: hour * 3_600_000, open, high, low, close, volume: 1 }
    })
  )

/** What a long that is entered at 100 is left at, after 200 was its best price. */
const leftAt = (exits: typeof Exits.Type): number => {
  const rules = strategy({
    symbols: ["BTC/USD"],
    timeframe: "1h",
    long: { enter: above(price.close, 99) },
    exits
  })
  const free = { fees: { maker: 0, taker: 0 }, slippage: 0 }
  const { positions } = backtest(hoursAt([98, 100, 100, 150, 200, 50]), rules, free)
  assert.strictEqual(positions.entryPrice[0], 100)
  return positions.exitPrice[0]!
}

describe("the page of the strategy format", () => {
  it("says of what price a fraction is one", () => {
    const part = { type: "fraction", value: 0.1 } as const
    assert.include(page, "A `fraction` is one of the entry price")
    assert.strictEqual(leftAt({ stop_loss: part }), 90)
    assert.closeTo(leftAt({ take_profit: part }), 110, 1e-9)
    const trailing =
      "for the distance of a trailing stop it is one of the best price since the entry"
    assert.include(page, trailing)
    assert.strictEqual(leftAt({ trailing_stop: { distance: part } }), 180)
    // What it has to reach before it trails is a fraction of the entry price again.
    const reached = (value: number) => ({ ...part, value })
    assert.strictEqual(leftAt({ trailing_stop: { distance: part, activation: reached(1) } }), 180)
    const unreached = { trailing_stop: { distance: part, activation: reached(1.01) } }
    assert.strictEqual(leftAt(unreached), 50)
  })
})
