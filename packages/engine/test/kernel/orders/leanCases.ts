/**
 * LEAN's assertions about its own algorithms in its own regression tests, within bounds.
 *
 * Its file, in the folder in CANDLEWICK_ORACLES, asks for no more. There prices are adjusted for
 * dividends, a quarter of a percent of the cash is kept, and shares are whole ones. Algorithms on
 * minutes and seconds that are not there are left out.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { type CandleColumns, sliceColumns } from "../../../src/kernel/columns.ts"
import { averageLoss } from "../../../src/kernel/metrics/averageLoss.ts"
import { averageWin } from "../../../src/kernel/metrics/averageWin.ts"
import { beta } from "../../../src/kernel/metrics/beta.ts"
import { cagr } from "../../../src/kernel/metrics/cagr.ts"
import { simpleReturns } from "../../../src/kernel/metrics/dailyReturns.ts"
import { maxDrawdown } from "../../../src/kernel/metrics/maxDrawdown.ts"
import { sumResults } from "../../../src/kernel/metrics/positionSums.ts"
import { totalReturn } from "../../../src/kernel/metrics/totalReturn.ts"
import { winRate } from "../../../src/kernel/metrics/winRate.ts"
import { listsIn, oracles } from "../oracleFolder.ts"
import { readCandles } from "../readCandles.ts"

/** The beginning of each of them. */
export const capital = 100_000

/** Candles from a date up to the day before another. */
const between = (candles: CandleColumns, from: string, until: string): CandleColumns => {
  const indexOf = (date: string) => candles.time.findIndex((time) => time >= Date.parse(date))
  return sliceColumns(candles, indexOf(from), indexOf(until))
}

/** Figures by LEAN's names. */
export type Figures = Readonly<Record<string, number>>

/**
 * The compared statistics, by LEAN's names, without those that need a risk-free rate or its fees.
 */
export const toFigures = (
  candles: CandleColumns,
  equity: Float64Array,
  returnRates: ReadonlyArray<number>,
  orderCount: number
): Figures => {
  const last = equity.at(-1)!
  const rates = sumResults(returnRates)
  const duration = candles.time.at(-1)! - candles.time[0]!
  const market = simpleReturns(candles.close[0]!, candles.close)
  return {
    "Total Orders": orderCount,
    "Average Win": averageWin(rates) * 100,
    "Average Loss": averageLoss(rates) * 100,
    "Win Rate": winRate(rates) * 100,
    "Compounding Annual Return": cagr(capital, last, duration) * 100,
    "Net Profit": totalReturn(capital, last) * 100,
    "End Equity": last,
    Drawdown: maxDrawdown(capital, equity).rate * 100,
    Beta: beta(simpleReturns(capital, equity), market)
  }
}

interface Bounded {
  readonly from: string
  readonly until: string
  readonly inPart: string
  readonly strategy: "trend" | "holding"
  /** How far below and above LEAN's figure ours may be. */
  readonly bounds: Readonly<Record<string, readonly [below: number, above: number]>>
}

const asAsked = "within bounds, as its file asks, and without what needs a risk-free rate"

/** The comparison of each statistic. */
export const leanAlgorithms: Readonly<Record<string, Bounded>> = {
  MACDTrendAlgorithm: {
    from: "2004-01-01",
    until: "2015-01-01",
    inPart: `${asAsked}; it has dividends in its prices, some 2 % a year, and ours has none`,
    strategy: "trend",
    bounds: {
      "Total Orders": [4, 4],
      "Average Win": [0.5, 0.5],
      "Average Loss": [0.5, 0.5],
      "Win Rate": [4, 4],
      "Compounding Annual Return": [2, 0],
      "Net Profit": [27, 0],
      "End Equity": [27_000, 0],
      Drawdown: [2, 2],
      Beta: [0.02, 0.02]
    }
  },
  BasicTemplateDailyAlgorithm: {
    from: "2013-10-08",
    until: "2013-10-18",
    inPart: asAsked,
    strategy: "holding",
    bounds: {
      "Total Orders": [0, 0],
      "Net Profit": [0.02, 0.02],
      "End Equity": [20, 20],
      Drawdown: [0.05, 0.05],
      Beta: [0.001, 0.001]
    }
  },
  BasicTemplateAlgorithm: {
    // It buys in its first minute, which is the open after the candle before.
    from: "2013-10-04",
    until: "2013-10-12",
    inPart: `${asAsked}; on days, since its minutes are not there, so without what its minutes show`,
    strategy: "holding",
    bounds: {
      "Total Orders": [0, 0],
      "Net Profit": [0.02, 0.02],
      "End Equity": [20, 20]
    }
  }
}

/** A figure as the file has it, some as percent. */
const numberOf = (text: string | undefined): number => Number(text?.replace("%", ""))

/** The daily candles of SPY, which its algorithms trade; their list names no file. */
const spyPath = join(oracles, "data/spy_1d.csv")
export const isSpyThere = existsSync(spyPath)

/** Its algorithms with what it expects of them; none without the folder. */
export const leanCases = listsIn<{
  readonly kind: string
  readonly cases: ReadonlyArray<{
    readonly id: string
    readonly expected: Readonly<Record<string, string>>
  }>
}>("published").flatMap(({ kind, cases }) => (kind === "lean_expected_statistics" ? cases : []))

/** Holds what a run gives on the candles of an algorithm to what is expected of it. */
export const checkBounds = (
  { bounds, from, until }: Bounded,
  expected: Readonly<Record<string, string>>,
  run: (candles: CandleColumns) => Figures
): void => {
  const seen = run(between(readCandles(spyPath), from, until))
  for (const [name, [below, above]] of Object.entries(bounds)) {
    const wanted = numberOf(expected[name])
    assert.isAtLeast(seen[name]!, wanted - below, name)
    assert.isAtMost(seen[name]!, wanted + above, name)
  }
}
