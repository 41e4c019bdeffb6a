/**
 * Strategies, candles and options of the engine's tests: what a test does not say is as simple as
 * it can be.
 */
import { assert } from "@effect/vitest"
import type { Series } from "../../src/language/Rule.ts"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { type EngineOptions, type EngineRun, figureCount } from "../../src/fast/Run.ts"
import { type FiguresWithReasons, runWithReasons } from "../../src/fast/runMany.ts"
import { runPlain } from "../../src/fast/runPlain.ts"
import { makeColumnCache } from "../../src/plan/evaluateColumns.ts"
import type { MarketSpec } from "../../src/kernel/account.ts"
import { hourMs } from "../../src/kernel/calendar.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import { freeMarket } from "../traps/scripted.ts"

/** A strategy of one market on hours. */
export const definitionOf = (parts: Partial<StrategyDefinition>): StrategyDefinition => ({
  format: 1,
  symbols: ["AAA/USD"],
  timeframe: "1h",
  parameters: {},
  ...parts
})

/** The same as a run without parameters. */
export const runOf = (parts: Partial<StrategyDefinition>): EngineRun => ({
  definition: definitionOf(parts),
  values: {}
})

export const close = { type: "price", field: "close" } as const

export const constant = (value: number) => ({ type: "constant", value }) as const

export const average = (period: number) => ({ type: "sma", period }) as const

export const above = (left: Series, right: Series) => ({ type: "above", left, right }) as const

/** In while one average is above another, or below it, or on the other side. */
export const crossingRun = (
  fast: number,
  slow: number,
  isBothWays = false,
  isTurned = false
): EngineRun => {
  const sides = { left: average(fast), right: average(slow) }
  const rises = { type: isTurned ? "crosses_below" : "crosses_above", ...sides } as const
  const falls = { type: isTurned ? "crosses_above" : "crosses_below", ...sides } as const
  const long = { enter: rises, exit: falls }
  return runOf(isBothWays ? { long, short: { enter: falls, exit: rises } } : { long })
}

/** Candles of one price each. */
export const candlesOf = (
  prices: Float64Array,
  timeAt: (index: number) => number = (index) => index * hourMs
): CandleColumns => ({
  length: prices.length,
  time: Float64Array.from(prices, (_, index) => timeAt(index)),
  open: prices,
  high: prices,
  low: prices,
  close: prices,
  volume: prices
})

/** All of the equity, filled at closes, without costs: what is said otherwise is other. */
export const optionsOf = (
  changes: Partial<EngineOptions> = {},
  market: Partial<MarketSpec> = {}
): EngineOptions => ({
  spec: { ...freeMarket, ...market },
  capital: 1_000,
  fill: "close",
  endOfData: "close",
  returns: "candle",
  periodsPerYear: 365,
  ...changes
})

/** Asserts that runs have the figures and the entries of the plain path, which come back. */
export const assertPlain = (
  candles: CandleColumns,
  runs: ReadonlyArray<EngineRun>,
  options: EngineOptions,
  where: string
): FiguresWithReasons => {
  const found = runWithReasons(candles, runs, options)
  const cache = makeColumnCache(candles)
  const expected = new Float64Array(found.figures.length)
  runs.forEach((run, index) => runPlain(cache, run, options, expected, index * figureCount))
  expected.forEach((value, at) => {
    const message = `${where}: figure ${at % figureCount} of run ${Math.floor(at / figureCount)}`
    if (Number.isNaN(value)) return assert.isNaN(found.figures[at], message)
    assert.closeTo(found.figures[at]!, value, 1e-9 * Math.max(1, Math.abs(value)), message)
  })
  return found
}
