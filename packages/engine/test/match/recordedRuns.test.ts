/**
 * Runs of drawn scripts as they were recorded, to the digit: trades, orders, equity, and all that
 * the scripts were told on their way.
 */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { crc32 } from "../../src/kernel/crc32.ts"
import { simulateCodeOrders } from "../../src/kernel/orders/simulateCodeOrders.ts"
import { drawCase } from "./drawnScripts.ts"

const recorded: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(new URL("recordedRuns.json", import.meta.url), "utf8")
)

/** A number that is none in JSON says itself. */
const inWords = (_: string, value: unknown): unknown =>
  typeof value === "number" && !Number.isFinite(value) ? String(value) : value

describe("recorded runs of scripts", () => {
  it("are given again, to the digit", () => {
    let tradeCount = 0
    for (const [seed, wanted] of Object.entries(recorded)) {
      const { candles, deed, options, told } = drawCase(seed)
      const result = simulateCodeOrders(candles, { parameters: {}, onCandle: deed }, options)
      const text = JSON.stringify([{ ...result, equity: [...result.equity] }, told], inWords)
      assert.strictEqual(crc32(new TextEncoder().encode(text)), wanted, seed)
      tradeCount += result.trades.length
    }
    assert.isAbove(tradeCount, 5000)
  })
})
