/**
 * Returns are differences of sums over a tile's candles: one that is far larger than those of a run
 * would leave nothing of them, though the run held no position then.
 */
import { assert, describe, it } from "@effect/vitest"
import type { EngineOptions, EngineRun } from "../../src/engine/Run.ts"
import { runReasoned } from "../../src/engine/runMany.ts"
import { runPlain } from "../../src/engine/runPlain.ts"
import { makeColumnCache } from "../../src/interpreters/evaluateColumns.ts"
import { type CandleColumns, copyColumns } from "../../src/kernel/columns.ts"
import { randomWalk } from "../../src/testing/randomCandles.ts"

const close = { type: "price", field: "close" } as const

const runOf = (long: EngineRun["definition"]["long"]): EngineRun => ({
  definition: {
    format: 1,
    symbols: ["AAA/USD"],
    timeframe: "1h",
    parameters: {},
    ...(long && { long })
  },
  values: {}
})

const rising = {
  type: "above",
  left: { type: "sma", period: 5 },
  right: { type: "sma", period: 40 }
} as const

const runs: ReadonlyArray<EngineRun> = [
  runOf({ enter: { type: "above", left: close, right: { type: "constant", value: 0 } } }),
  runOf({ enter: rising, exit: { type: "not", rule: rising } })
]

/** A walk with one candle at so many times the price, long before the first one that counts. */
const misprinted = (times: number): CandleColumns => {
  const columns = copyColumns(randomWalk("misprinted", { count: 2_500, volatility: 0.004 }))
  for (const name of ["open", "high", "low", "close"] as const) columns[name][10]! *= times
  return columns
}

const from = 300

describe("a price that was far off before the first candle that counts", () => {
  it.each([
    ["at closes", {}],
    ["at opens", { fill: "next_open" }],
    ["without WebAssembly", { webAssembly: false }]
  ] as const)("changes no figure of a run: filled %s", (_, changes) => {
    const options: EngineOptions = {
      spec: {
        tick: 0,
        lot: 0,
        minNotional: 0,
        makerRate: 0.0002,
        takerRate: 0.0002,
        feePerFill: 0,
        slippageRate: 0,
        canShort: false,
        leverage: 1
      },
      capital: 1_000,
      fill: "close",
      endOfData: "close",
      returns: "candle",
      periodsPerYear: 8_760,
      from,
      ...changes
    }
    for (const times of [1, 2, 1e3, 1e5, 1e8, 1e200]) {
      const candles = misprinted(times)
      const { figures, plain } = runReasoned(candles, runs, options)
      const cache = makeColumnCache(candles)
      const expected = new Float64Array(figures.length)
      runs.forEach((run, index) => runPlain(cache, run, options, expected, index * 4))
      expected.forEach((value, at) => {
        const where = `figure ${at}, ${times} times the price`
        assert.closeTo(figures[at]!, value, 1e-9 * Math.max(1, Math.abs(value)), where)
      })
      const reason = "its returns are small beside the price's"
      const repeated = times < 1e3 ? [] : runs.map((_run, index) => ({ index, reason }))
      assert.deepStrictEqual(plain, repeated, `${times} times the price`)
    }
  })
})
