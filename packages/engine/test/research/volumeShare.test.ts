/**
 * Candles that fill orders in part. A position that is left in several parts counts once, in a
 * backtest as in a sweep, and no two positions are held both ways.
 */
import { assert, describe, it } from "@effect/vitest"
import type { MatchFill } from "../../src/kernel/account.ts"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { backtest } from "../../src/research/backtest.ts"
import { sweep } from "../../src/research/sweep.ts"
import { readCandles } from "../kernel/readCandles.ts"

const close = { type: "price", field: "close" } as const
const mean = { type: "sma", period: 20 } as const
const rises = { type: "crosses_above", left: close, right: mean } as const
const falls = { type: "crosses_below", left: close, right: mean } as const

const reversing: StrategyDefinition = {
  format: 1,
  symbols: ["BTC/USD"],
  timeframe: "1d",
  parameters: {},
  long: { enter: rises, exit: falls },
  short: { enter: falls, exit: rises },
  sizing: { type: "fixed_notional", notional: 5_000 }
}

const sample = readCandles("samples/bitcoin_1d.csv")

/** A share of which the orders of the strategy get a part in most candles. */
const options = { market: { volumeShare: { max: 0.0000002, slippageRate: 0 } } }

const half = { when: { type: "above", left: close, right: mean }, portion: 0.5 } as const

const leftInParts: Readonly<Record<string, Partial<StrategyDefinition>>> = {
  "whole positions": {},
  "merged lots": { lots: "average" },
  "lots by name": { lots: "by_name" },
  "lots that are reduced by a rule": { lots: "first_in_first_out", reductions: [half] },
  "positions that overlap": { overlap: true, max_positions: 3 }
}

describe("positions that are left in parts", () => {
  for (const [name, kind] of Object.entries(leftInParts)) {
    it(`count once each in a backtest and in a sweep: ${name}`, () => {
      const definition = { ...reversing, ...kind }
      const { fills, metrics, positions } = backtest(sample, definition, options)
      const exitCount = fills.filter(({ closed }) => closed !== null).length
      assert.isAbove(exitCount, positions.length)
      const entries = fills.filter(({ leg }) => leg === "entry")
      assert.strictEqual(positions.length, entries.length)
      const swept = sweep(sample, definition, [{}], options)
      assert.strictEqual(swept.positionCount[0], positions.length)
      const winCount = [...positions].filter(({ pnl }) => pnl > 0).length
      assert.strictEqual(metrics.win_rate, winCount / positions.length)
      const bought = entries.reduce((sum, { quantity }) => sum + quantity, 0)
      const left = [...positions].reduce((sum, { quantity }) => sum + quantity, 0)
      assert.closeTo(left, bought, 1e-6 * bought)
    })
  }
})

/** Whether lots of both sides are held after any of these fills. */
const isHeldBothWays = (fills: ReadonlyArray<MatchFill>): boolean => {
  const lots = new Map<string, number>()
  const areApart = fills.some(({ lot }) => lot !== undefined)
  return fills.some(({ leg, lot, orderId, quantity, side }) => {
    const name = areApart ? (leg === "entry" ? orderId : lot!) : "all"
    const rest = (lots.get(name) ?? 0) + side * quantity
    if (Math.abs(rest) > 1e-6) lots.set(name, rest)
    else lots.delete(name)
    return new Set([...lots.values()].map(Math.sign)).size > 1
  })
}

describe("an exit that waits for volume", () => {
  for (const [name, kind] of Object.entries(leftInParts)) {
    it(`lets no lot be held the other way: ${name}`, () => {
      for (const fill of ["next_open", "close"] as const) {
        const { fills } = backtest(sample, { ...reversing, ...kind }, { ...options, fill })
        const partCount = fills.filter(({ effect, leg }) => leg === "exit" && effect === "reduce")
        assert.isAbove(partCount.length, 5)
        assert.isFalse(isHeldBothWays(fills))
      }
    })
  }
})
