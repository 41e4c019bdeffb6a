/**
 * A bot's results count a position once, and a lot once where lots are kept apart, in however many
 * parts it was left. A backtest of the same fills does the same.
 */
import {
  addPosition,
  hourMs,
  keepLots,
  makePositionSums,
  showFill
} from "@candlewick/engine/kernel"
import { above, backtest, price, sma, strategy } from "@candlewick/engine/research"
import { assert, describe, it } from "@effect/vitest"
import { randomWalk } from "../../../../engine/src/testing/randomCandles.ts"
import { makeSnapshot } from "../../../src/services/bots/botSession.ts"
import { addResult } from "../../../src/services/bots/rememberFills.ts"

const rises = above(price.close, sma(20))
const falls = above(sma(20), price.close)

const definition = strategy({
  symbols: ["BTC/USD"],
  timeframe: "1h",
  long: { enter: rises, exit: falls },
  short: { enter: falls, exit: rises },
  sizing: { type: "fixed_notional", notional: 5_000 }
})

const candles = randomWalk("results", { count: 600, stepMs: hourMs })
const market = { canShort: true, volumeShare: { max: 0.005, slippageRate: 0 } }

describe("a bot's results", () => {
  const reductions = [{ when: above(price.close, sma(5)), portion: 0.5 }] as const

  it.each([
    ["single", {}],
    ["average", { lots: "average" }],
    ["hedging", { lots: "by_name" }],
    ["hedging", { overlap: true, max_positions: 3 }],
    ["average", { lots: "average", reductions }],
    ["hedging", { lots: "by_name", reductions }]
  ] as const)("are those of a backtest, with lots that are %s: %o", (netting, parts) => {
    const options = { market, endOfData: "open" } as const
    const { fills, open, positions } = backtest(candles, { ...definition, ...parts }, options)
    const snapshot = makeSnapshot(10_000, [{} as never], null, 1, netting)
    keepLots(snapshot.account, netting === "hedging")
    for (const fill of fills) {
      showFill(snapshot.account, fill)
      addResult(snapshot, fill)
    }
    const sums = makePositionSums()
    for (const { entryTime, exitTime, pnl, returnRate } of positions) {
      const [entryIndex, exitIndex] = [entryTime / hourMs, exitTime / hourMs]
      addPosition(sums, { pnl, returnRate, entryIndex, exitIndex })
    }
    const partCount = fills.filter(({ closed }) => closed !== null).length
    assert.isAbove(partCount, positions.length)
    assert.deepStrictEqual(snapshot.tallies.positions, sums)
    const isLeftInParts = fills.at(-1)!.effect === "reduce"
    assert.strictEqual((snapshot.parts?.flat() ?? []).length > 0, isLeftInParts)
    if (isLeftInParts) assert.isNotEmpty(open)
  })
})
