/**
 * Metrics against what other libraries and papers say.
 *
 * The golden files carry a formula with every number. Where a convention there is not ours, the
 * test converts and says which one it is; the kernel keeps its own. The series and positions of the
 * folder in CANDLEWICK_ORACLES are held to the same, whatever they are named.
 */
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import type { Measurement } from "../../src/language/Measurement.ts"
import { toEquityMeasurement, withBenchmark } from "../../src/language/Measurement.ts"
import { measureAll } from "../../src/language/Metric.ts"
import { dayMs } from "../../src/kernel/calendar.ts"
import { SimulatedAccount } from "../../src/kernel/SimulatedAccount.ts"
import { alpha } from "../../src/kernel/metrics/alpha.ts"
import { averageLoss } from "../../src/kernel/metrics/averageLoss.ts"
import { averageWin } from "../../src/kernel/metrics/averageWin.ts"
import { beta } from "../../src/kernel/metrics/beta.ts"
import { cagr } from "../../src/kernel/metrics/cagr.ts"
import { calmarRatio } from "../../src/kernel/metrics/calmarRatio.ts"
import { captureRatio } from "../../src/kernel/metrics/captureRatio.ts"
import { correlation } from "../../src/kernel/metrics/correlation.ts"
import { dailyReturns, periodsPerYear } from "../../src/kernel/metrics/dailyReturns.ts"
import { downsideDeviation } from "../../src/kernel/metrics/downsideDeviation.ts"
import { drawdowns } from "../../src/kernel/metrics/drawdowns.ts"
import { expectancy, expectancyRatio } from "../../src/kernel/metrics/expectancy.ts"
import { exposure, exposureTime } from "../../src/kernel/metrics/exposureTime.ts"
import { gainToPain } from "../../src/kernel/metrics/gainToPain.ts"
import { grossLoss } from "../../src/kernel/metrics/grossLoss.ts"
import { grossProfit } from "../../src/kernel/metrics/grossProfit.ts"
import { informationRatio } from "../../src/kernel/metrics/informationRatio.ts"
import { kellyFraction } from "../../src/kernel/metrics/kellyFraction.ts"
import { longestStreak } from "../../src/kernel/metrics/longestStreak.ts"
import { maxDrawdown } from "../../src/kernel/metrics/maxDrawdown.ts"
import { minimumBacktestLength } from "../../src/kernel/metrics/minimumBacktestLength.ts"
import { minimumTrackRecord } from "../../src/kernel/metrics/minimumTrackRecord.ts"
import { omegaRatio } from "../../src/kernel/metrics/omegaRatio.ts"
import { payoffRatio } from "../../src/kernel/metrics/payoffRatio.ts"
import { sumPositions, sumResults } from "../../src/kernel/metrics/positionSums.ts"
import { positivePeriods } from "../../src/kernel/metrics/positivePeriods.ts"
import {
  deflatedSharpe,
  expectedMaximum,
  probabilisticSharpe
} from "../../src/kernel/metrics/probabilisticSharpe.ts"
import { profitFactor } from "../../src/kernel/metrics/profitFactor.ts"
import { recoveryFactor } from "../../src/kernel/metrics/recoveryFactor.ts"
import { sharpeRatio } from "../../src/kernel/metrics/sharpeRatio.ts"
import { sortinoRatio } from "../../src/kernel/metrics/sortinoRatio.ts"
import { sqn } from "../../src/kernel/metrics/sqn.ts"
import { stability } from "../../src/kernel/metrics/stability.ts"
import { tailRatio } from "../../src/kernel/metrics/tailRatio.ts"
import { totalReturn } from "../../src/kernel/metrics/totalReturn.ts"
import { trackingError } from "../../src/kernel/metrics/trackingError.ts"
import { turnover } from "../../src/kernel/metrics/turnover.ts"
import { ulcerIndex } from "../../src/kernel/metrics/ulcerIndex.ts"
import { ulcerPerformanceIndex } from "../../src/kernel/metrics/ulcerPerformanceIndex.ts"
import { conditionalValueAtRisk, valueAtRisk } from "../../src/kernel/metrics/valueAtRisk.ts"
import { volatility } from "../../src/kernel/metrics/volatility.ts"
import { winRate } from "../../src/kernel/metrics/winRate.ts"
import { arithmeticMean, standardDeviation } from "../../src/kernel/statistics.ts"
import { correctedExcess, correctedSkewness } from "./correctedMoments.ts"
import { oracles, pathsIn, readJson } from "./oracleFolder.ts"
import { readTable } from "./readTable.ts"

interface Golden<A = number | null> {
  readonly value: A
}

interface DeepestDrawdown {
  readonly peak: number
  readonly trough: number
  readonly recovery: number | null
  readonly depth: number
}

interface LastingDrawdown extends DeepestDrawdown {
  readonly underwater_periods: number
}

interface SeriesMetrics {
  readonly total_return: Golden<number>
  readonly cagr: Golden<number>
  readonly volatility_annual: Golden
  readonly sharpe: Golden
  readonly sharpe_rf_2pct_simple: Golden
  readonly sharpe_rf_2pct_geometric: Golden
  readonly sortino: Golden
  readonly max_drawdown: Golden<number>
  readonly calmar: Golden
  readonly omega_0: Golden
  readonly profit_factor_returns: Golden
  readonly var_historical_95: Golden
  readonly cvar_historical_95: Golden
  readonly cvar_tail_mean_95: Golden
  readonly win_rate_periods: Golden
  readonly exposure_nonzero: Golden
  /** Absent where the returns do not vary. */
  readonly skew?: Golden
  readonly kurtosis_excess?: Golden
  readonly probabilistic_sharpe_vs_0?: Golden
  readonly probabilistic_sharpe_vs_annual_1?: Golden
  readonly deepest_drawdown: Golden<DeepestDrawdown | null>
  /** The deepest five, the deepest of all first. */
  readonly drawdowns_top5: Golden<ReadonlyArray<LastingDrawdown>>
  readonly downside_deviation_annual: Golden<number>
  readonly max_underwater_periods: Golden<number>
  readonly ulcer_index: Golden<number>
  readonly ulcer_index_n_minus_1: Golden<number>
  readonly min_track_record_length_vs_0_95?: Golden
  readonly tail_ratio?: Golden
  readonly stability_r2?: Golden
}

interface BenchmarkMetrics {
  readonly beta: Golden<number>
  readonly alpha_annual_simple: Golden<number>
  readonly alpha_annual_compounded: Golden<number>
  readonly information_ratio_per_period: Golden<number>
  readonly r_squared: Golden<number>
  readonly tracking_error_annual: Golden<number>
}

interface BenchmarkedSeries {
  readonly benchmark_returns: ReadonlyArray<number>
  readonly metrics: BenchmarkMetrics
}

interface Series {
  readonly periods_per_year: number
  readonly returns: ReadonlyArray<number>
  readonly metrics: SeriesMetrics
}

interface Positions {
  readonly id: string
  readonly trades: ReadonlyArray<readonly [pnl: number, returnRate: number, heldCount: number]>
  readonly metrics: Readonly<
    Record<
      | "trades"
      | "win_rate"
      | "profit_factor_money"
      | "profit_factor_returns"
      | "payoff_ratio"
      | "expectancy_money"
      | "expectancy_return"
      | "sqn"
      | "average_bars_held"
      | "gross_profit"
      | "gross_loss"
      | "average_win"
      | "average_loss"
      | "kelly"
      | "max_consecutive_wins"
      | "max_consecutive_losses"
      | "largest_win"
      | "largest_loss",
      Golden<number>
    >
  >
}

const goldenFolder = fileURLToPath(new URL("../../../../test/golden", import.meta.url))

/** Positions, or the file of the folder that has them. */
type PositionsCase = Omit<Positions, "trades"> &
  ({ readonly trades: Positions["trades"] } | { readonly trades_file: string })

const withTrades = (one: PositionsCase): Positions => {
  if ("trades" in one) return one
  const column = readTable(join(oracles, one.trades_file))
  const [pnl, rate] = [column("pnl"), column("return_frac")]
  const [entry, exit] = [column("entry_bar"), column("exit_bar")]
  const trades = Array.from(pnl, (value, row) => {
    return [value, rate[row]!, exit[row]! - entry[row]!] as const
  })
  return { ...one, trades }
}

/** The vendored lists and those of the folder, by the names of their files. */
const lists = [goldenFolder, oracles].flatMap((folder) =>
  pathsIn("metrics", folder)
    .filter((path) => path.endsWith(".json"))
    .map((path) => ({ id: basename(path, ".json"), list: readJson<object>(path) }))
)
/** The deepest drawdown is vendored beside the deepest five; the folder has only these. */
type ListedSeries = Omit<Series, "metrics"> & {
  readonly metrics: Omit<SeriesMetrics, "deepest_drawdown"> & Partial<SeriesMetrics>
}

const withDeepest = (series: ListedSeries): Series => {
  const { metrics } = series
  const [first = null] = metrics.drawdowns_top5.value
  const { deepest_drawdown = { value: first } } = metrics
  return { ...series, metrics: { ...metrics, deepest_drawdown } }
}
const allSeries = lists.flatMap(({ id, list }) =>
  "returns" in list ? [{ id, series: withDeepest(list as ListedSeries) }] : []
)
const benchmarked = allSeries.flatMap(({ id, series }) => {
  const isBenchmarked = "benchmark_returns" in series && series.benchmark_returns !== null
  return isBenchmarked ? [{ id, series: series as Series & BenchmarkedSeries }] : []
})
const varying = allSeries.filter(({ series }) => series.returns.some((value) => value !== 0))
const cases = lists.flatMap(({ list }) =>
  "cases" in list ? (list.cases as ReadonlyArray<PositionsCase>).map(withTrades) : []
)

const yearMs = 365 * dayMs

/** Equal to 1e-8, relative above 1; null is what we call NaN. */
const assertClose = (actual: number, expected: number | null | undefined, name: string): void => {
  if (expected === null || expected === undefined) assert.isNaN(actual, name)
  else assert.closeTo(actual, expected, 1e-8 * Math.max(1, Math.abs(expected)), name)
}

/** Equity after each return, from 1 on, which is not part of it. */
const equityFrom = (returns: ReadonlyArray<number>): Float64Array => {
  let equity = 1
  return Float64Array.from(returns, (value) => (equity *= 1 + value))
}

const lastOf = (values: Float64Array): number => values[values.length - 1]!

describe("metrics of return series", () => {
  it.each(allSeries)("gives for $id what other libraries give", ({ series }) => {
    const { returns, periods_per_year: periods, metrics: expected } = series
    const equity = equityFrom(returns)
    const isClose = (name: keyof SeriesMetrics, actual: number) => {
      const value = expected[name]?.value
      assert.isFalse(typeof value === "object" && value !== null, name)
      assertClose(actual, typeof value === "number" ? value : null, name)
    }
    isClose("total_return", totalReturn(1, lastOf(equity)))
    isClose("volatility_annual", volatility(returns, periods))
    isClose("sharpe", sharpeRatio(returns, periods))
    isClose("sortino", sortinoRatio(returns, periods))
    isClose("omega_0", omegaRatio(returns))
    isClose("var_historical_95", valueAtRisk(returns))
    isClose("cvar_tail_mean_95", conditionalValueAtRisk(returns))
    // The mean of a count of smallest returns there; the same where the last of them has no ties.
    isClose("cvar_historical_95", conditionalValueAtRisk(returns))
    isClose("profit_factor_returns", profitFactor(sumResults(returns)))
    // A risk-free rate is 0 here; others are returns in excess of it.
    const inExcess = (rate: number) => returns.map((value) => value - rate)
    isClose("sharpe_rf_2pct_simple", sharpeRatio(inExcess(0.02 / periods), periods))
    isClose("sharpe_rf_2pct_geometric", sharpeRatio(inExcess(1.02 ** (1 / periods) - 1), periods))
    // Years are counted in periods there, in days of 24 h here: N periods last N / P years.
    const growth = cagr(1, lastOf(equity), (returns.length / periods) * yearMs)
    isClose("cagr", growth)
    // A drawdown is negative there, a positive fraction here.
    const drawdown = maxDrawdown(1, equity)
    assertClose(-drawdown.rate, expected.max_drawdown.value, "max_drawdown")
    isClose("calmar", calmarRatio(growth, drawdown.rate))
    // Periods without a return do not count there; here every result does.
    isClose("win_rate_periods", winRate(sumResults(returns.filter((value) => value !== 0))))
    isClose("exposure_nonzero", exposureTime(returns.map(Math.abs)))
    // Here the periods without a return count too.
    const { win_rate_periods: winning, exposure_nonzero: nonzero } = expected
    assertClose(
      positivePeriods(returns),
      winning.value === null ? 0 : winning.value * (nonzero.value ?? 0),
      "positive_periods"
    )
    isClose("downside_deviation_annual", downsideDeviation(returns, periods))
    isClose("ulcer_index", ulcerIndex(1, equity))
    // The mean is over one period less there.
    const less = Math.sqrt(returns.length / (returns.length - 1))
    isClose("ulcer_index_n_minus_1", ulcerIndex(1, equity) * less)
    isClose("tail_ratio", tailRatio(returns))
    isClose("stability_r2", stability(returns))
    // Neither is there by name; both are quotients of what is.
    const { cagr: theirGrowth, ulcer_index: ulcer, total_return: gain, omega_0: omega } = expected
    const over = (above: number, below: number) => (below === 0 ? null : above / below)
    assertClose(
      ulcerPerformanceIndex(growth, ulcerIndex(1, equity)),
      over(theirGrowth.value, ulcer.value),
      "ulcer_performance_index"
    )
    assertClose(
      recoveryFactor(totalReturn(1, lastOf(equity)), drawdown.rate),
      over(gain.value, -expected.max_drawdown.value),
      "recovery_factor"
    )
    // (gains - losses) / losses is one less than gains / losses.
    assertClose(gainToPain(returns), omega.value === null ? null : omega.value - 1, "gain_to_pain")
  })

  it.each(allSeries)(
    "finds in $id the same deepest five drawdowns, as long as they lasted",
    ({ series }) => {
      const { returns, metrics: expected } = series
      const falls = drawdowns(1, equityFrom(returns))
      const longest = falls.reduce((most, { candleCount }) => Math.max(most, candleCount), 0)
      assert.strictEqual(longest, expected.max_underwater_periods.value)
      const deepest = falls.toSorted((one, other) => other.rate - one.rate)
      const five = expected.drawdowns_top5.value
      assert.strictEqual(Math.min(falls.length, 5), five.length)
      five.forEach((fall, at) => {
        const ours = deepest[at]!
        assertClose(ours.rate, -fall.depth, "depth")
        // The equity there begins with the starting value, at index 0; ours is before the array.
        assert.deepStrictEqual(
          [ours.peakIndex, ours.troughIndex, ours.recoveredIndex, ours.candleCount],
          [
            fall.peak - 1,
            fall.trough - 1,
            fall.recovery === null ? null : fall.recovery - 1,
            fall.underwater_periods
          ]
        )
      })
    }
  )

  it.each(allSeries)("finds in $id the same deepest drawdown, at the same place", ({ series }) => {
    const { returns, metrics: expected } = series
    const deepest = expected.deepest_drawdown.value
    const drawdown = maxDrawdown(1, equityFrom(returns))
    if (deepest === null) {
      assert.deepStrictEqual(drawdown, {
        rate: 0,
        amount: 0,
        peakIndex: -1,
        troughIndex: -1,
        recoveredIndex: null
      })
      return
    }
    // The equity there begins with the starting value, at index 0; ours is before the array.
    assertClose(drawdown.rate, -deepest.depth, "depth")
    assert.strictEqual(drawdown.peakIndex, deepest.peak - 1)
    assert.strictEqual(drawdown.troughIndex, deepest.trough - 1)
    const recovery = deepest.recovery === null ? null : deepest.recovery - 1
    assert.strictEqual(drawdown.recoveredIndex, recovery)
  })

  it.each(varying)("is as sure of the Sharpe ratio of $id as the paper's formula", ({ series }) => {
    const { returns, periods_per_year: periods, metrics: expected } = series
    const count = returns.length
    const skew = correctedSkewness(returns)
    const excess = correctedExcess(returns)
    assertClose(skew, expected.skew?.value, "skew")
    assertClose(excess, expected.kurtosis_excess?.value, "kurtosis_excess")
    const sample = {
      sharpe: arithmeticMean(returns) / standardDeviation(returns),
      count,
      skewness: skew,
      kurtosisRaw: excess + 3
    }
    const { probabilistic_sharpe_vs_0: above0, probabilistic_sharpe_vs_annual_1: above1 } = expected
    assertClose(probabilisticSharpe(sample, 0), above0?.value, "above 0")
    assertClose(probabilisticSharpe(sample, 1 / Math.sqrt(periods)), above1?.value, "above 1")
    const needed = minimumTrackRecord(sample)
    assertClose(needed, expected.min_track_record_length_vs_0_95?.value, "track record")
    if (!Number.isNaN(needed)) {
      assert.closeTo(probabilisticSharpe({ ...sample, count: needed }, 0), 0.95, 1e-12)
    }
  })

  it("has series with a benchmark, and positions", () => {
    assert.isNotEmpty(benchmarked)
    assert.isNotEmpty(cases)
  })

  it.each(benchmarked)("compares $id with an index as other libraries do", ({ series }) => {
    const { returns, periods_per_year: periods } = series
    const { benchmark_returns: benchmark, metrics: expected } = series as BenchmarkedSeries
    assertClose(beta(returns, benchmark), expected.beta.value, "beta")
    const yearly = alpha(returns, benchmark, periods)
    assertClose(yearly, expected.alpha_annual_simple.value, "alpha_annual_simple")
    // Compounded there, multiplied here, as the mean of the Sharpe ratio is.
    const compounded = (1 + yearly / periods) ** periods - 1
    assertClose(compounded, expected.alpha_annual_compounded.value, "alpha_annual_compounded")
    // Annualised here.
    const information = expected.information_ratio_per_period.value * Math.sqrt(periods)
    assertClose(informationRatio(returns, benchmark, periods), information, "information_ratio")
    // Its square there.
    assertClose(correlation(returns, benchmark) ** 2, expected.r_squared.value, "r_squared")
    assertClose(
      trackingError(returns, benchmark, periods),
      expected.tracking_error_annual.value,
      "tracking_error_annual"
    )
  })
})

const seriesNamed = (name: string): Series => allSeries.find(({ id }) => id === name)!.series

describe("the catalogue", () => {
  it("gives for a year of daily crypto equity what other libraries give", () => {
    const { returns, metrics: expected } = seriesNamed("btcusdt_daily_2021")
    const startMs = Date.UTC(2021, 0, 2)
    const time = Float64Array.from(returns, (_, day) => startMs + day * dayMs)
    const { metrics: values } = measureAll(toEquityMeasurement(time, equityFrom(returns), 1, dayMs))
    for (const [ours, theirs] of [
      ["total_return", expected.total_return],
      ["cagr", expected.cagr],
      ["volatility", expected.volatility_annual],
      ["sharpe", expected.sharpe],
      ["sortino", expected.sortino],
      ["calmar", expected.calmar],
      ["omega", expected.omega_0],
      ["var_95", expected.var_historical_95],
      ["cvar_95", expected.cvar_tail_mean_95],
      ["downside_deviation", expected.downside_deviation_annual],
      ["ulcer_index", expected.ulcer_index],
      ["max_drawdown_candles", expected.max_underwater_periods],
      ["tail_ratio", expected.tail_ratio],
      ["stability", expected.stability_r2]
    ] as const) {
      assertClose(values[ours] ?? Number.NaN, theirs?.value, ours)
    }
    // Corrected for bias there, those of the population here; excess there, raw here.
    const count = returns.length
    const bias = (count - 2) / Math.sqrt(count * (count - 1))
    assertClose(values["skewness"]!, expected.skew!.value! * bias, "skewness")
    const excess = expected.kurtosis_excess!.value!
    const raw = ((excess * (count - 2) * (count - 3)) / (count - 1) - 6) / (count + 1) + 3
    assertClose(values["kurtosis"]!, raw, "kurtosis")
    // Equity is multiplied up and divided again, so the last bits of a return differ.
    assertClose(values["best_period"]!, Math.max(...returns), "best_period")
    assertClose(values["worst_period"]!, Math.min(...returns), "worst_period")
    assertClose(values["max_drawdown"]!, -expected.max_drawdown.value, "max_drawdown")
  })

  it("annualises equity of weekdays with 252 periods, as other libraries do", () => {
    const { returns, metrics: expected } = seriesNamed("spy_2004_2013")
    // 2004-08-23, a Monday; five candles a week.
    const startMs = Date.UTC(2004, 7, 23)
    const time = Float64Array.from(
      returns,
      (_, at) => startMs + (Math.floor(at / 5) * 7 + (at % 5)) * dayMs
    )
    const { metrics: values } = measureAll(toEquityMeasurement(time, equityFrom(returns), 1, dayMs))
    assertClose(values["volatility"]!, expected.volatility_annual.value, "volatility")
    assertClose(values["sharpe"]!, expected.sharpe.value, "sharpe")
    assertClose(values["sortino"]!, expected.sortino.value, "sortino")
  })

  it("gives for closed positions what the engine that closed them gives", () => {
    for (const { id, trades, metrics: expected } of cases) {
      const measurement: Measurement = {
        ...toEquityMeasurement(Float64Array.of(0), Float64Array.of(1), 1, dayMs),
        positions: sumPositions(
          trades.map(([pnl, returnRate, exitIndex]) => ({
            pnl,
            returnRate,
            entryIndex: 0,
            exitIndex
          }))
        )
      }
      const { metrics: values } = measureAll(measurement)
      assert.strictEqual(values["trades"], expected.trades.value)
      assertClose(values["win_rate"]!, expected.win_rate.value, id)
      assertClose(values["profit_factor"]!, expected.profit_factor_money.value, id)
      assertClose(values["expectancy"]!, expected.expectancy_money.value, id)
      assertClose(values["sqn"]!, expected.sqn.value, id)
      assertClose(values["average_return"]!, expected.expectancy_return.value, id)
      assertClose(values["average_candles_held"]!, expected.average_bars_held.value, id)
      for (const [ours, theirs] of [
        ["gross_profit", "gross_profit"],
        ["gross_loss", "gross_loss"],
        ["average_win", "average_win"],
        ["average_loss", "average_loss"],
        ["payoff_ratio", "payoff_ratio"],
        ["kelly", "kelly"],
        ["largest_win", "largest_win"],
        ["largest_loss", "largest_loss"],
        ["longest_winning_streak", "max_consecutive_wins"],
        ["longest_losing_streak", "max_consecutive_losses"]
      ] as const) {
        assertClose(values[ours]!, expected[theirs].value, `${id} ${ours}`)
      }
      const ratio = (1 + expected.payoff_ratio.value) * expected.win_rate.value - 1
      assertClose(values["expectancy_ratio"]!, ratio, id)
    }
  })
})

describe("metrics of closed positions", () => {
  it.each(cases)("gives for $id what the engine that closed them gives", (one) => {
    const { metrics: expected } = one
    const pnls = sumResults(one.trades.map(([pnl]) => pnl))
    const rates = sumResults(one.trades.map(([, returnRate]) => returnRate))
    assertClose(winRate(pnls), expected.win_rate.value, "win_rate")
    assertClose(profitFactor(pnls), expected.profit_factor_money.value, "profit_factor_money")
    assertClose(profitFactor(rates), expected.profit_factor_returns.value, "profit_factor_returns")
    assertClose(expectancy(pnls), expected.expectancy_money.value, "expectancy_money")
    assertClose(expectancy(rates), expected.expectancy_return.value, "expectancy_return")
    assertClose(sqn(pnls), expected.sqn.value, "sqn")
    const { payoff_ratio: payoff, win_rate: share } = expected
    assertClose(expectancyRatio(pnls), (1 + payoff.value) * share.value - 1, "expectancy ratio")
  })

  it.each(cases)("gives for $id the same wins, losses and runs of them", (one) => {
    const { metrics: expected } = one
    const pnls = sumResults(one.trades.map(([pnl]) => pnl))
    assertClose(grossProfit(pnls), expected.gross_profit.value, "gross_profit")
    assertClose(grossLoss(pnls), expected.gross_loss.value, "gross_loss")
    assertClose(averageWin(pnls), expected.average_win.value, "average_win")
    assertClose(averageLoss(pnls), expected.average_loss.value, "average_loss")
    assertClose(payoffRatio(pnls), expected.payoff_ratio.value, "payoff_ratio")
    assertClose(kellyFraction(pnls), expected.kelly.value, "kelly")
    assert.strictEqual(longestStreak(pnls, 1), expected.max_consecutive_wins.value)
    assert.strictEqual(longestStreak(pnls, -1), expected.max_consecutive_losses.value)
  })

  it("has no payoff and no Kelly fraction without wins or losses, and sums of 0", () => {
    for (const pnls of [[], [1, 2], [-1, -2], [0]]) {
      assert.isNaN(payoffRatio(sumResults(pnls)), `payoff of ${pnls.join(" ")}`)
      assert.isNaN(kellyFraction(sumResults(pnls)), `Kelly fraction of ${pnls.join(" ")}`)
    }
    assert.strictEqual(grossProfit(sumResults([-1, -2])), 0)
    assert.strictEqual(grossLoss(sumResults([1, 2])), 0)
    assert.isNaN(grossProfit(sumResults([])))
    assert.isNaN(grossLoss(sumResults([])))
    assert.isNaN(averageWin(sumResults([-1])))
    assert.isNaN(averageLoss(sumResults([1])))
  })

  it("ends both runs at a position that broke even", () => {
    const pnls = [1, 2, 0, 3, -1, -1, 0, -1, -1, -1, 4]
    assert.strictEqual(longestStreak(sumResults(pnls), 1), 2)
    assert.strictEqual(longestStreak(sumResults(pnls), -1), 3)
    assert.strictEqual(longestStreak(sumResults([0, 0]), 1), 0)
    assert.isNaN(longestStreak(sumResults([]), 1))
  })

  it("has no profit factor without a loss, and no win rate without positions", () => {
    assert.isNaN(profitFactor(sumResults([1, 2])))
    assert.isNaN(profitFactor(sumResults([])))
    assert.isNaN(winRate(sumResults([])))
    assert.isNaN(expectancy(sumResults([])))
    assert.isNaN(expectancyRatio(sumResults([1, 2])))
    assert.isNaN(expectancyRatio(sumResults([-1, -2])))
    assert.isNaN(sqn(sumResults([1])))
  })

  it("counts a position that broke even as not won", () => {
    assert.strictEqual(winRate(sumResults([1, 0, -1, 0])), 0.25)
    assert.strictEqual(profitFactor(sumResults([2, 0, -1])), 2)
  })
})

describe("numbers of papers and of other projects' tests", () => {
  const paper = {
    sharpe: 1.585 / Math.sqrt(12),
    count: 24,
    skewness: -2.448,
    kurtosisRaw: 10.164
  }
  const percent = [1, 10, -4, 2, 3, 2, 1, -10]
  const returns = percent.map((value) => value / 100)

  it("expects a maximum of 2.5306 of a hundred normal draws", () => {
    assert.closeTo(expectedMaximum(100), 2.530_602_893_201_684_6, 1e-12)
  })

  it("is 0.9132 sure of the paper's Sharpe ratio", () => {
    assert.closeTo(probabilisticSharpe(paper, 0), 0.913_234_306_884_860_2, 1e-12)
  })

  it("takes raw kurtosis: the excess by mistake would be too sure", () => {
    const mistaken = { ...paper, kurtosisRaw: paper.kurtosisRaw - 3 }
    assert.closeTo(probabilisticSharpe(mistaken, 0), 0.919_841_010_929_837_5, 1e-12)
  })

  it("is 0.9004 sure of the best Sharpe ratio of a hundred trials", () => {
    const sample = { sharpe: 2.5 / Math.sqrt(250), count: 1250, skewness: -3, kurtosisRaw: 10 }
    assert.closeTo(deflatedSharpe(sample, 100, 0.5 / 250), 0.900_396_834_449_390_4, 1e-12)
  })

  it("needs five years before 45 trials stop giving a Sharpe ratio of 1 by luck", () => {
    assert.closeTo(minimumBacktestLength(45), 4.998_087_004_443_402, 1e-11)
    assert.closeTo(minimumBacktestLength(45, 2), 4.998_087_004_443_402 / 4, 1e-11)
    assert.isNaN(minimumBacktestLength(1))
    assert.isNaN(minimumBacktestLength(45, 0))
  })

  it.each([
    ["daily", 250, 2, 1, 0, 3, 2.731_187_801_728_174],
    ["weekly", 52, 2, 1, 0, 3, 2.828_833_586_945_234],
    ["monthly", 12, 3, 2.5, -0.72, 5.78, 27.352_920_196_040_277]
  ] as const)(
    "needs years of %s returns to tell a Sharpe ratio from a lower one",
    (_, periods, yearly, target, skewness, kurtosisRaw, years) => {
      const sample = { sharpe: yearly / Math.sqrt(periods), skewness, kurtosisRaw }
      const count = minimumTrackRecord(sample, 0.95, target / Math.sqrt(periods))
      assert.closeTo(count / periods, years, 1e-10)
      assert.isNaN(minimumTrackRecord(sample, 0.95, sample.sharpe))
    }
  )

  it("has falls of 7 and 4 that last 3 and 2 candles from peak to peak", () => {
    const falls = drawdowns(100, [100, 99, 93, 100, 96, 100, 100])
    assert.deepStrictEqual(
      falls.map(({ amount, peakIndex, recoveredIndex }) => [
        amount,
        recoveredIndex! - peakIndex,
        recoveredIndex
      ]),
      [
        [7, 3, 3],
        [4, 2, 5]
      ]
    )
  })

  it("falls by a tenth over the eight returns", () => {
    assert.closeTo(maxDrawdown(1, equityFrom(returns)).rate, 0.1, 1e-12)
  })

  it("has a yearly volatility of 0.9136 over the eight returns", () => {
    assert.closeTo(volatility(returns, 252), 0.913_646_539_970_463_7, 1e-12)
  })

  it("has a Sharpe ratio of 1.7239 over the eight returns", () => {
    assert.closeTo(sharpeRatio(returns, 252), 1.723_861_396_170_686_1, 1e-12)
  })

  it("has a Sharpe ratio of 0.3411 over the eight returns in excess of a benchmark's", () => {
    const inExcess = percent.map((value, at) => (value - ((at + 1) % 2)) / 100)
    assert.closeTo(sharpeRatio(inExcess, 252), 0.341_114_114_410_605_7, 1e-12)
  })

  it("grows yearly by 2.3303, or by 1.9136 with the day before the first return counted", () => {
    const final = lastOf(equityFrom(returns))
    assert.closeTo(cagr(1, final, (8 / 252) * yearMs), 2.330_292_797_300_439, 1e-11)
    assert.closeTo(cagr(1, final, (9 / 252) * yearMs), 1.913_592_537_319_457_8, 1e-11)
  })

  it.each([
    [64_900, 176_000, 1095, 0.3945],
    [64_900, 176_000, 365, 1.7119],
    [1000, 1500, 100, 3.3927],
    [0.01, 0.017_627_92, 120, 4.6087]
  ] as const)("grows from %d to %d over %d days by %d yearly", (initial, final, days, expected) => {
    assert.closeTo(cagr(initial, final, days * dayMs), expected, 0.000_05)
  })

  it("takes the largest fraction for the deepest fall, not the largest amount", () => {
    const { rate, amount } = maxDrawdown(1000, [1000, 500, 1000, 11_000, 10_000])
    assert.strictEqual(rate, 0.5)
    assert.strictEqual(amount, 500)
    const last = maxDrawdown(1000, [1000, 11_000, 10_000])
    assert.closeTo(last.rate, 0.090_909, 1e-6)
    assert.strictEqual(last.amount, 1000)
  })

  it("knows when the deepest of two falls began and when it was won back", () => {
    // Falls of 0, 1, 7, 0, 4, 0, 0 from a peak of 100.
    const { amount, peakIndex, troughIndex, recoveredIndex } = maxDrawdown(
      100,
      [100, 99, 93, 100, 96, 100, 100]
    )
    assert.deepStrictEqual([amount, peakIndex, troughIndex, recoveredIndex], [7, -1, 2, 3])
  })
})

describe("an account", () => {
  it("pays 25 for a fixed 10 and 1 % on either side, and ends with 5275", () => {
    const spec = {
      tick: 0,
      lot: 1,
      minNotional: 0,
      makerRate: 0.01,
      takerRate: 0.01,
      feePerFill: 10,
      slippageRate: 0,
      canShort: false,
      leverage: 1
    }
    const account = SimulatedAccount.open(5000, [spec])
    for (const [price, leg, side] of [
      [1, "entry", 1],
      [4, "exit", -1]
    ] as const) {
      account.place(0, {
        id: leg,
        side,
        type: "market",
        leg,
        quantity: 100,
        limit: null,
        stop: null,
        expiresAfter: null,
        reason: "signal",
        attached: null
      })
      const candle = { market: 0, time: price, open: price, high: price, low: price, close: price }
      account.show([candle])
    }
    assert.closeTo(account.ledger.feesPaid, 25, 1e-12)
    assert.closeTo(account.equity, 5275, 1e-9)
  })
})

describe("metrics of little", () => {
  it("has no ratio without spread, however long nothing varied", () => {
    for (const count of [2, 3, 10, 1000]) {
      const constant = new Float64Array(count).fill(0.1)
      assert.isNaN(sharpeRatio(constant, 365), `${count} returns`)
      assert.isNaN(sqn(sumResults(constant)), `${count} results`)
      assert.isNaN(sqn(sumResults(constant.map((value) => value * 1e6))), `${count} large results`)
    }
  })

  it("keeps the ratio of what varies little", () => {
    assert.closeTo(sharpeRatio([1e-9, 2e-9, 3e-9], 1), 2, 1e-9)
    assert.closeTo(sqn(sumResults([1e-8, 2e-8, 3e-8])), 2 * Math.sqrt(3), 1e-9)
  })

  it("has no growth without time, and lost all where nothing is left", () => {
    assert.isNaN(cagr(1, 2, 0))
    assert.strictEqual(cagr(1, 0, dayMs), -1)
    assert.strictEqual(cagr(1, -1, dayMs), -1)
  })

  it("falls by more than everything where equity is owed", () => {
    assert.strictEqual(maxDrawdown(100, [-50]).rate, 1.5)
  })

  it("begins a fall at the last candle of the peak and counts what is below it", () => {
    // Falls of 10 % for two candles, 50 % for one, 20 % until the end.
    const falls = drawdowns(100, [100, 95, 90, 100, 50, 110, 88, 99])
    const shapes = falls.map(({ rate, peakIndex, troughIndex, recoveredIndex, candleCount }) => [
      Math.round(rate * 100),
      peakIndex,
      troughIndex,
      recoveredIndex,
      candleCount
    ])
    assert.deepStrictEqual(shapes, [
      [10, 0, 2, 3, 2],
      [50, 3, 4, 5, 1],
      [20, 5, 6, null, 2]
    ])
    const time = Float64Array.from({ length: 8 }, (_, day) => day * dayMs)
    const equity = Float64Array.of(100, 95, 90, 100, 50, 110, 88, 99)
    const { metrics: values } = measureAll(toEquityMeasurement(time, equity, 100, dayMs))
    assert.closeTo(values["average_drawdown"]!, 0.8 / 3, 1e-12)
    assert.closeTo(values["average_drawdown_candles"]!, 5 / 3, 1e-12)
    assert.strictEqual(values["max_drawdown_candles"], 2)
    assert.closeTo(values["recovery_factor"]!, -0.02, 1e-12)
    assert.closeTo(values["positive_periods"]!, 3 / 8, 1e-12)
  })

  it("has no drawdown, and says so, where equity only rises", () => {
    const time = Float64Array.of(0, dayMs, 2 * dayMs)
    const rising = toEquityMeasurement(time, Float64Array.of(1, 2, 3), 1, dayMs)
    const { metrics: values, reasons } = measureAll(rising)
    assert.deepStrictEqual(drawdowns(1, [1, 2, 3]), [])
    assert.strictEqual(values["ulcer_index"], 0)
    assert.strictEqual(values["max_drawdown_candles"], 0)
    assert.strictEqual(values["downside_deviation"], 0)
    const names = ["average_drawdown", "average_drawdown_candles", "recovery_factor"] as const
    for (const name of names) {
      assert.isNull(values[name])
      assert.strictEqual(reasons[name], "there was no drawdown")
    }
    assert.isNull(values["ulcer_performance_index"])
    assert.isNull(values["gain_to_pain"])
  })

  it("has no tails without returns at them, and no line through what never changed", () => {
    assert.isNaN(tailRatio([0, 0, 0]))
    assert.isNaN(tailRatio([]))
    assert.isNaN(stability([0, 0, 0]))
    assert.isNaN(stability([0.1, -1, 0]))
    assert.closeTo(stability([0.1, 0.1, 0.1, 0.1]), 1, 1e-12)
  })

  it("needs no track record of what loses", () => {
    const sample = { skewness: 0, kurtosisRaw: 3 }
    assert.isNaN(minimumTrackRecord({ ...sample, sharpe: 0 }))
    assert.isNaN(minimumTrackRecord({ ...sample, sharpe: -1 }))
    // 1 + 1.5 * (1.6449 / 1)^2
    assert.closeTo(minimumTrackRecord({ ...sample, sharpe: 1 }), 5.058_315_181_1, 1e-9)
  })

  it("measures what is in the market by candles and by money", () => {
    assert.strictEqual(exposureTime([0, 50, 100, 0]), 0.5)
    assert.strictEqual(exposure([0, 50, 100, 0], [100, 100, 200, 200]), 0.25)
    assert.strictEqual(turnover(300, [100, 200]), 2)
  })
})

describe("a benchmark", () => {
  const benchmark = [0.1, -0.1, 0.2, -0.2]

  it("is matched by itself", () => {
    assert.closeTo(beta(benchmark, benchmark), 1, 1e-12)
    assert.closeTo(alpha(benchmark, benchmark, 365), 0, 1e-12)
    assert.closeTo(correlation(benchmark, benchmark), 1, 1e-12)
    assert.strictEqual(captureRatio(benchmark, benchmark, 1), 1)
    assert.strictEqual(captureRatio(benchmark, benchmark, -1), 1)
    assert.strictEqual(trackingError(benchmark, benchmark, 365), 0)
    assert.isNaN(informationRatio(benchmark, benchmark, 365))
  })

  it("is half taken along by half of its moves, and more of its falls by compounding", () => {
    const half = benchmark.map((value) => value / 2 + 0.01)
    assert.closeTo(beta(half, benchmark), 0.5, 1e-12)
    assert.closeTo(alpha(half, benchmark, 365), 3.65, 1e-12)
    assert.closeTo(correlation(half, benchmark), 1, 1e-12)
    const up = (Math.sqrt(1.06 * 1.11) - 1) / (Math.sqrt(1.1 * 1.2) - 1)
    const down = (Math.sqrt(0.96 * 0.91) - 1) / (Math.sqrt(0.9 * 0.8) - 1)
    assert.closeTo(captureRatio(half, benchmark, 1), up, 1e-12)
    assert.closeTo(captureRatio(half, benchmark, -1), down, 1e-12)
  })

  it("tells nothing where it does not vary, or never moves that way", () => {
    const flat = [0, 0, 0, 0]
    assert.isNaN(beta(benchmark, flat))
    assert.isNaN(alpha(benchmark, flat, 365))
    assert.isNaN(correlation(benchmark, flat))
    assert.isNaN(captureRatio(benchmark, flat, 1))
    assert.isNaN(captureRatio(benchmark, flat, -1))
  })

  it("is measured by the catalogue from its equity", () => {
    const time = Float64Array.from(benchmark, (_, day) => day * dayMs)
    const half = benchmark.map((value) => value / 2 + 0.01)
    const measurement = toEquityMeasurement(time, equityFrom(half), 1, dayMs)
    const alone = measureAll(measurement)
    const { metrics: values } = measureAll(withBenchmark(measurement, equityFrom(benchmark)))
    const names = ["alpha", "beta", "correlation", "tracking_error", "information_ratio"] as const
    for (const name of [...names, "up_capture", "down_capture"] as const) {
      assert.isNull(alone.metrics[name])
      assert.include(alone.reasons[name]!, "there is no benchmark")
      assert.isNumber(values[name])
    }
    assert.closeTo(values["beta"]!, 0.5, 1e-12)
    assert.closeTo(values["up_capture"]!, captureRatio(half, benchmark, 1), 1e-12)
  })
})

describe("returns and their periods", () => {
  /** 2024-01-01, a Monday. */
  const startMs = Date.UTC(2024, 0, 1)
  const timesOf = (count: number, spacing: number) =>
    Float64Array.from({ length: count }, (_, at) => startMs + at * spacing)

  it("takes equity at the last candle of each UTC day, from the initial equity on", () => {
    const time = timesOf(6, dayMs / 2)
    const returns = dailyReturns(time, Float64Array.of(105, 110, 90, 99, 80, 198), 100)
    assert.strictEqual(returns.length, 3)
    for (const [at, expected] of [0.1, -0.1, 1].entries()) {
      assert.closeTo(returns[at]!, expected, 1e-12)
    }
  })

  it("takes every candle of a day or longer", () => {
    const returns = dailyReturns(timesOf(3, 7 * dayMs), Float64Array.of(110, 110, 55), 100)
    assert.strictEqual(returns.length, 3)
  })

  it("has 365 periods a year with candles on weekends, else 252", () => {
    assert.strictEqual(periodsPerYear(timesOf(28, dayMs)), 365)
    assert.strictEqual(periodsPerYear(timesOf(28 * 24, dayMs / 24)), 365)
    const weekdays = timesOf(28, dayMs).filter((_, at) => at % 7 < 5)
    assert.strictEqual(periodsPerYear(weekdays), 252)
    const hours = timesOf(28 * 24, dayMs / 24).filter((_, at) => Math.floor(at / 24) % 7 < 5)
    assert.strictEqual(periodsPerYear(hours), 252)
  })

  it("has as many periods a year as longer candles fit in", () => {
    assert.closeTo(periodsPerYear(timesOf(20, 7 * dayMs)), 52.18, 0.01)
  })
})
