/**
 * Cases of trades of one unit, whose rules and results are other software's; they are read from the
 * folder in CANDLEWICK_ORACLES.
 */
import { assert } from "@effect/vitest"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import { expectancy } from "../../src/kernel/metrics/expectancy.ts"
import { sumResults } from "../../src/kernel/metrics/positionSums.ts"
import { profitFactor } from "../../src/kernel/metrics/profitFactor.ts"
import { sqn } from "../../src/kernel/metrics/sqn.ts"
import { winRate } from "../../src/kernel/metrics/winRate.ts"
import { arithmeticMean, standardDeviation } from "../../src/kernel/statistics.ts"
import { type CaseData, listsIn, readCaseCandles } from "./oracleFolder.ts"

/** A trade as that software tells it. */
export interface WantedTrade {
  readonly direction: "long" | "short"
  readonly entry_bar: number
  readonly exit_bar: number
  readonly entry_price: number
  readonly exit_price: number
  readonly profit_per_unit: number
  readonly profit_pct: number
  readonly growth: number
  readonly risk_pct: number | null
  readonly r_multiple: number | null
  readonly holding_period: number
  readonly exit_reason: "exit-rule" | "stop-loss" | "profit-target" | "finalize"
  readonly stop_price: number | null
  readonly profit_target: number | null
}

type Analysis = Readonly<Record<string, number | null>>

interface Traded {
  readonly trades: ReadonlyArray<WantedTrade>
  readonly analysis_10000: Analysis
}

/** One strategy on one series. */
export interface BacktestCase {
  readonly id: string
  readonly kind: "backtest"
  readonly data: CaseData
  /** In words. */
  readonly rule: string
  readonly parameters: { readonly SMA: number }
  readonly expected: Traded
}

interface Grid {
  readonly SMA: { readonly from: number; readonly to: number; readonly step: number }
}

interface OptimizeCase {
  readonly id: string
  readonly kind: "optimize"
  readonly data: CaseData
  readonly grid: Grid
  readonly expected: {
    readonly best_value: number
    readonly best_params: { readonly SMA: number }
    readonly all: ReadonlyArray<{
      readonly SMA: number
      readonly result: number
      readonly trades: number
    }>
  }
}

export interface WalkForwardCase {
  readonly id: string
  readonly kind: "walk_forward"
  readonly data: CaseData
  readonly grid: Grid
  readonly expected: Traded & {
    readonly windows: ReadonlyArray<{
      readonly in_sample: readonly [number, number]
      readonly out_sample: readonly [number, number]
      readonly best_params: { readonly SMA: number }
      readonly best_value: number
      readonly out_sample_trades: number
    }>
  }
}

type AnyCase = BacktestCase | OptimizeCase | WalkForwardCase

/** All cases; none without the folder. */
export const cases = listsIn<AnyCase>("grademark")

const kinds: ReadonlySet<string> = new Set<AnyCase["kind"]>([
  "backtest",
  "optimize",
  "walk_forward"
])
/** Cases of kinds that aren't known here. */
export const strangers: ReadonlyArray<{ readonly id: string; readonly kind: string }> =
  cases.filter(({ kind }) => !kinds.has(kind))

/** The candles of a case. */
export const candlesOf = ({ data }: AnyCase): CandleColumns => readCaseCandles(data)

const orNull = (value: number): number | null => (Number.isFinite(value) ? value : null)

/** The lowest so far of what was lost since the peak, in money and as its fraction of the peak. */
export const drawdowns = (growths: ReadonlyArray<number>) => {
  let [capital, peak, amount, rate] = [10_000, 10_000, 0, 0]
  for (const growth of growths) {
    capital *= growth
    peak = Math.max(peak, capital)
    amount = Math.min(amount, capital - peak)
    rate = Math.min(rate, amount / peak)
  }
  return { capital, amount, rate }
}

const analysisOf = (trades: ReadonlyArray<WantedTrade>): Analysis => {
  const pnls = trades.map((trade) => trade.profit_per_unit)
  const multiples = trades.flatMap(({ r_multiple }) => (r_multiple === null ? [] : [r_multiple]))
  const risks = trades.flatMap(({ risk_pct }) => (risk_pct === null ? [] : [risk_pct]))
  const sums = sumResults(pnls)
  const wins = pnls.filter((pnl) => pnl > 0)
  const losses = pnls.filter((pnl) => pnl <= 0)
  const { capital, amount, rate } = drawdowns(trades.map(({ growth }) => growth))
  const growth = capital / 10_000
  return {
    startingCapital: 10_000,
    finalCapital: capital,
    profit: capital - 10_000,
    profitPct: (growth - 1) * 100,
    growth,
    totalTrades: trades.length,
    barCount: trades.reduce((sum, trade) => sum + trade.holding_period, 0),
    maxDrawdown: amount,
    maxDrawdownPct: rate * 100,
    maxRiskPct: risks.length === 0 ? null : Math.max(...risks),
    expectency: orNull(expectancy(sumResults(multiples))),
    rmultipleStdDev: orNull(standardDeviation(multiples)),
    systemQuality: orNull(sqn(sumResults(multiples)) / Math.sqrt(multiples.length)),
    profitFactor: orNull(profitFactor(sums)),
    proportionProfitable: winRate(sums),
    percentProfitable: winRate(sums) * 100,
    returnOnAccount: orNull(((growth - 1) * 100) / Math.abs(rate * 100)),
    averageProfitPerTrade: (capital - 10_000) / trades.length,
    numWinningTrades: wins.length,
    numLosingTrades: losses.length,
    averageWinningTrade: wins.length === 0 ? 0 : arithmeticMean(wins),
    averageLosingTrade: losses.length === 0 ? 0 : arithmeticMean(losses),
    expectedValue: expectancy(sums)
  }
}

/** Every field that is wanted, numbers to nine digits. */
export const assertFields = (seen: object, wanted: object, what: string): void => {
  const fields = new Map<string, unknown>(Object.entries(seen))
  for (const [name, value] of Object.entries(wanted) as ReadonlyArray<[string, unknown]>) {
    const ours = fields.get(name)
    const where = `${name} of ${what}`
    if (typeof value === "number" && typeof ours === "number") {
      assert.closeTo(ours, value, 1e-9 * Math.max(1, Math.abs(value)), where)
    } else assert.strictEqual(ours, value, where)
  }
}

/** Every trade, and what is told of all of them. */
export const assertTraded = (seen: ReadonlyArray<WantedTrade>, wanted: Traded): void => {
  const marks = ({ entry_bar, exit_bar, exit_reason }: WantedTrade) =>
    `${entry_bar} to ${exit_bar}: ${exit_reason}`
  assert.deepStrictEqual(seen.map(marks), wanted.trades.map(marks))
  wanted.trades.forEach(({ ...trade }, nth) => {
    assertFields(seen[nth] ?? {}, trade, `trade ${nth}`)
  })
  assertFields(analysisOf(seen), wanted.analysis_10000, "the analysis")
}

/** A round trip of one unit, whichever engine held it. */
export interface UnitTrade {
  readonly direction: "long" | "short"
  readonly entry_bar: number
  readonly exit_bar: number
  readonly entry_price: number
  readonly exit_price: number
  readonly exit_reason: WantedTrade["exit_reason"]
  readonly stop_price: number | null
  readonly profit_target: number | null
}

/** A trade in the terms of the other software. */
export const toWanted = (trade: UnitTrade): WantedTrade => {
  const { direction, entry_price, exit_price, stop_price } = trade
  const profit = direction === "long" ? exit_price - entry_price : entry_price - exit_price
  const risk = stop_price === null ? null : Math.abs(entry_price - stop_price)
  return {
    ...trade,
    profit_per_unit: profit,
    profit_pct: (profit / entry_price) * 100,
    growth: direction === "long" ? exit_price / entry_price : entry_price / exit_price,
    risk_pct: risk === null ? null : (risk / entry_price) * 100,
    r_multiple: risk === null ? null : profit / risk,
    // Candles after that of the entry on which its rules were looked at to the end.
    holding_period: trade.exit_bar - trade.entry_bar - (trade.exit_reason === "finalize" ? 0 : 1)
  }
}

/** The equity after round trips one after the other, in percent. */
export const profitPct = (trades: ReadonlyArray<WantedTrade>): number =>
  (drawdowns(trades.map(({ growth }) => growth)).capital / 10_000 - 1) * 100

/**
 * A close on a side of the average of the last closes, from the first candle that is not skipped.
 *
 * One close of the grid equals its average but for the last bit. So the average is summed from the
 * oldest close on, as the other software does; the kernel's rolling one rounds otherwise.
 */
export const averageOf = ({ close }: CandleColumns, period: number): Float64Array =>
  close.map((_, index) =>
    index < period ? Number.NaN : arithmeticMean(close.subarray(index - period + 1, index + 1))
  )

/** The periods of a grid. */
export const valuesOf = ({ SMA: { from, to, step } }: Grid): ReadonlyArray<number> =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, nth) => from + nth * step)

/** The cases of a kind. */
export const casesOf = <Kind extends AnyCase["kind"]>(kind: Kind) =>
  cases.filter((one): one is Extract<AnyCase, { kind: Kind }> => one.kind === kind)
