/**
 * Positions and orders of all markets together never go beyond the exposure cap when an entry is
 * decided.
 */
import { assert, describe, it } from "@effect/vitest"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { makeColumns } from "../../src/kernel/columns.ts"
import { makeRandom } from "../../src/kernel/random.ts"
import { noRiskLimits } from "../../src/kernel/riskGate.ts"
import { openMarket, simulateOn } from "./simulated.ts"

const rules: StrategyDefinition = {
  format: 1,
  symbols: ["ONE/USD", "TWO/USD", "TRI/USD"],
  timeframe: "1h",
  parameters: {},
  long: {
    enter: {
      type: "above",
      left: { type: "price", field: "close" },
      right: { type: "constant", value: 100 }
    },
    exit: {
      type: "below",
      left: { type: "price", field: "close" },
      right: { type: "constant", value: 99 }
    }
  },
  sizing: { type: "equity_fraction", fraction: 1 },
  max_positions: 3
}

/** Opens at the close before, so that an entry fills at the price that it was decided at. */
const walk = (seed: string) => {
  const random = makeRandom(seed)
  const columns = makeColumns(400)
  let price = 100
  for (let index = 0; index < columns.length; index++) {
    const open = price
    price = Math.max(50, Math.round(price * (1 + 0.01 * random.normal()) * 100) / 100)
    columns.time[index] = index * 3_600_000
    columns.open[index] = open
    columns.close[index] = price
    columns.high[index] = Math.max(open, price)
    columns.low[index] = Math.min(open, price)
    columns.volume[index] = 1
  }
  return columns
}

const free = { ...openMarket, makerRate: 0, takerRate: 0, slippageRate: 0, lot: 0, minNotional: 0 }

describe("the exposure cap", () => {
  it("holds over markets that enter on one candle", () => {
    let entries = 0
    for (const cap of [0.3, 0.5, 1]) {
      for (let seed = 0; seed < 5; seed++) {
        const candles = [0, 1, 2].map((market) => walk(`exposure ${seed} ${market}`))
        const limits = { ...noRiskLimits, maxExposure: cap }
        const { equity, fills, notional, time } = simulateOn(rules, candles, { limits }, free)
        for (const fill of fills.filter(({ leg }) => leg === "entry")) {
          entries++
          const before = time.indexOf(fill.time) - 1
          // What was open at the decision and is still, and all that was bought with it.
          const bought = fills
            .filter(({ leg, time: at }) => leg === "entry" && at === fill.time)
            .reduce((sum, { price, quantity }) => sum + price * quantity, 0)
          const sold = fills
            .filter(({ effect, time: at }) => effect === "close" && at === fill.time)
            .reduce((sum, { price, quantity }) => sum + price * quantity, 0)
          const committed = notional[before]! - sold + bought
          assert.isAtMost(committed, cap * equity[before]! * (1 + 1e-9), `seed ${seed}`)
        }
      }
    }
    assert.isAbove(entries, 100, "so few entries prove little")
  })
})
