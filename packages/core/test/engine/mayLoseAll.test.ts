/**
 * Prices that fall to nothing between two closes: the return rounds to the loss of everything, and
 * none comes after it, though sums of candles' own returns would go on.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Exits, StrategyDefinition } from "../../src/domain/StrategyDefinition.ts"
import { mayLoseAll } from "../../src/engine/mayLoseAll.ts"
import type { EngineOptions, EngineRun } from "../../src/engine/Run.ts"
import { runReasoned } from "../../src/engine/runMany.ts"
import { runPlain } from "../../src/engine/runPlain.ts"
import { makeColumnCache } from "../../src/interpreters/evaluateColumns.ts"
import { type CandleColumns, columnNames, copyColumns } from "../../src/kernel/columns.ts"
import { randomWalk } from "../../src/testing/randomCandles.ts"

/** A walk of more than two tiles whose prices are `share` of what they were, from a candle on. */
const fallen = (share: number, from = 700): CandleColumns => {
  const columns = copyColumns(randomWalk("fallen", { count: 5_000, volatility: 0.004 }))
  for (const name of columnNames) {
    if (name === "time" || name === "volume") continue
    for (let at = from; at < columns.length; at += 1) columns[name][at]! *= share
  }
  return columns
}

const close = { type: "price", field: "close" } as const
const average = (period: number) => ({ type: "sma", period }) as const

const runOf = (long: StrategyDefinition["long"], exits?: Exits): EngineRun => ({
  definition: {
    format: 1,
    symbols: ["AAA/USD"],
    timeframe: "1h",
    parameters: {},
    ...(long && { long }),
    ...(exits && { exits })
  },
  values: {}
})

const always = { type: "above", left: close, right: { type: "constant", value: 0 } } as const
const rising = { type: "above", left: average(5), right: average(40) } as const

const runs: ReadonlyArray<EngineRun> = [
  runOf({ enter: always }),
  runOf({ enter: rising, exit: { type: "not", rule: rising } }),
  runOf({ enter: always }, { stop_loss: { type: "fraction", value: 0.5 } }),
  runOf({ enter: always }, { time_limit: 50 })
]

const optionsFor = (changes: Partial<EngineOptions>): EngineOptions => ({
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
  periodsPerYear: 365,
  ...changes
})

describe("a fall to nothing between two closes", () => {
  it.each([
    ["at closes", {}],
    ["at opens", { fill: "next_open" }],
    ["by days", { returns: "day" }],
    ["without WebAssembly", { webAssembly: false }]
  ] as const)("gives the figures of the plain path: filled %s", (_, changes) => {
    const options = optionsFor(changes)
    for (const share of [1e-20, 1e-17, 1e-5, 0.5]) {
      const candles = fallen(share)
      const { figures, plain } = runReasoned(candles, runs, options)
      const cache = makeColumnCache(candles)
      const expected = new Float64Array(figures.length)
      runs.forEach((run, index) => runPlain(cache, run, options, expected, index * 4))
      expected.forEach((value, at) => {
        const where = `figure ${at} after a fall to ${share}`
        if (Number.isNaN(value)) return assert.isNaN(figures[at], where)
        assert.closeTo(figures[at]!, value, 1e-9 * Math.max(1, Math.abs(value)), where)
      })
      const isLost = share < 1e-16
      assert.isTrue(
        plain.every(({ reason }) => isLost && reason === "its equity was used up"),
        JSON.stringify(plain)
      )
      assert.strictEqual(plain.length > 0, isLost)
    }
  })

  it("is found where it happens, and nowhere before the first candle that counts", () => {
    const { spec } = optionsFor({})
    const candles = fallen(1e-17)
    assert.isTrue(mayLoseAll(candles, 0, spec))
    assert.isTrue(mayLoseAll(candles, 700, spec))
    assert.isFalse(mayLoseAll(candles, 701, spec))
    assert.isFalse(mayLoseAll(fallen(1e-12), 0, spec))
    // What hardly leaves anything makes a smaller fall do.
    assert.isTrue(mayLoseAll(fallen(1e-12), 0, { ...spec, slippageRate: 1 - 1e-6 }))
  })
})
