/**
 * The metric catalogue: for each metric its name on the wire, title, unit, better direction,
 * formula and kernel.
 *
 * Reports, objectives and the documentation are derived from these rows. A metric that the sample
 * can't support is null
 * with a reason, never NaN, Infinity or a made-up number.
 *
 * @since 0.1.0
 */
import { cagr } from "../kernel/metrics/cagr.ts"
import { calmarRatio } from "../kernel/metrics/calmarRatio.ts"
import { expectancy } from "../kernel/metrics/expectancy.ts"
import { exposure, exposureTime } from "../kernel/metrics/exposureTime.ts"
import { maxDrawdown } from "../kernel/metrics/maxDrawdown.ts"
import { omegaRatio } from "../kernel/metrics/omegaRatio.ts"
import { probabilisticSharpe } from "../kernel/metrics/probabilisticSharpe.ts"
import { profitFactor } from "../kernel/metrics/profitFactor.ts"
import { sharpeRatio } from "../kernel/metrics/sharpeRatio.ts"
import { sortinoRatio } from "../kernel/metrics/sortinoRatio.ts"
import { sqn } from "../kernel/metrics/sqn.ts"
import { totalReturn } from "../kernel/metrics/totalReturn.ts"
import { turnover } from "../kernel/metrics/turnover.ts"
import { conditionalValueAtRisk, valueAtRisk } from "../kernel/metrics/valueAtRisk.ts"
import { volatility } from "../kernel/metrics/volatility.ts"
import { winRate } from "../kernel/metrics/winRate.ts"
import { isSpread, kurtosisRaw, mean, skewness, standardDeviation } from "../kernel/statistics.ts"
import type { Measurement } from "./Measurement.ts"
import type { Objective } from "./Objective.ts"
import type { MetricValues } from "./Verdict.ts"

export { toEquityMeasurement, toMeasurement } from "./Measurement.ts"
export type { Measurement } from "./Measurement.ts"

/** What a metric is measured in. @category models @since 0.1.0 */
export type MetricUnit = "fraction" | "ratio" | "quote" | "count" | "candles"

/** One row of the catalogue. @category models @since 0.1.0 */
export interface Metric {
  readonly title: string
  readonly unit: MetricUnit
  readonly better: "higher" | "lower" | "neither"
  readonly formula: string
  readonly measure: (measurement: Measurement) => number
  /** Why there is no number, where `measure` gives none. */
  readonly absent: string
}

const noCandles = "there are no candles"
const noPositions = "no position was closed"
const tooFewReturns = "there are fewer than two return periods"

const equityEnd = ({ equity, equityStart }: Measurement): number =>
  equity.length === 0 ? equityStart : equity[equity.length - 1]!

const durationMs = ({ time, timeframeMs }: Measurement): number =>
  time.length === 0 ? 0 : time[time.length - 1]! + timeframeMs - time[0]!

const measureCagr = (measurement: Measurement): number =>
  cagr(measurement.equityStart, equityEnd(measurement), durationMs(measurement))

const measureDrawdown = ({ equityStart, equity }: Measurement): number =>
  maxDrawdown(equityStart, equity).rate

const measureConfidence = ({ returns }: Measurement): number => {
  if (returns.length < 3) return Number.NaN
  const average = mean(returns)
  const deviation = standardDeviation(returns)
  if (!isSpread(deviation, average)) return Number.NaN
  return probabilisticSharpe(
    {
      sharpe: average / deviation,
      count: returns.length,
      skewness: skewness(returns),
      kurtosisRaw: kurtosisRaw(returns)
    },
    0
  )
}

const extreme = (values: ReadonlyArray<number>, sign: 1 | -1): number =>
  values.length === 0
    ? Number.NaN
    : values.reduce((best, value) => ((value - best) * sign > 0 ? value : best))

/**
 * Every metric by its name on the wire.
 *
 * @category tables
 * @since 0.1.0
 */
export const metrics = {
  total_return: {
    title: "Total return",
    unit: "fraction",
    better: "higher",
    formula: "last equity / first equity - 1",
    measure: (measurement) => totalReturn(measurement.equityStart, equityEnd(measurement)),
    absent: noCandles
  },
  cagr: {
    title: "Compound annual growth rate",
    unit: "fraction",
    better: "higher",
    formula: "(last equity / first equity) ^ (365 days / duration) - 1",
    measure: measureCagr,
    absent: "the time is too short to be annualised"
  },
  volatility: {
    title: "Volatility",
    unit: "fraction",
    better: "lower",
    formula: "standard deviation of returns (ddof 1) * sqrt(periods a year)",
    measure: ({ returns, periodsPerYear }) => volatility(returns, periodsPerYear),
    absent: tooFewReturns
  },
  sharpe: {
    title: "Sharpe ratio",
    unit: "ratio",
    better: "higher",
    formula: "mean of returns / their standard deviation (ddof 1) * sqrt(periods a year)",
    measure: ({ returns, periodsPerYear }) => sharpeRatio(returns, periodsPerYear),
    absent: "the returns do not vary, or there are fewer than two"
  },
  sortino: {
    title: "Sortino ratio",
    unit: "ratio",
    better: "higher",
    formula: "mean of returns / sqrt(mean of min(return, 0)^2) * sqrt(periods a year)",
    measure: ({ returns, periodsPerYear }) => sortinoRatio(returns, periodsPerYear),
    absent: "no return was a loss"
  },
  calmar: {
    title: "Calmar ratio",
    unit: "ratio",
    better: "higher",
    formula: "compound annual growth rate / maximum drawdown",
    measure: (measurement) => calmarRatio(measureCagr(measurement), measureDrawdown(measurement)),
    absent: "there was no drawdown, or the time is too short to be annualised"
  },
  omega: {
    title: "Omega ratio",
    unit: "ratio",
    better: "higher",
    formula: "sum of returns above 0 / sum of returns below 0",
    measure: ({ returns }) => omegaRatio(returns),
    absent: "no return was a loss"
  },
  max_drawdown: {
    title: "Maximum drawdown",
    unit: "fraction",
    better: "lower",
    formula: "largest fraction of equity lost since its highest value so far",
    measure: measureDrawdown,
    absent: noCandles
  },
  var_95: {
    title: "Value at risk",
    unit: "fraction",
    better: "higher",
    formula: "5 % quantile of returns",
    measure: ({ returns }) => (returns.length < 2 ? Number.NaN : valueAtRisk(returns)),
    absent: tooFewReturns
  },
  cvar_95: {
    title: "Conditional value at risk",
    unit: "fraction",
    better: "higher",
    formula: "mean of the returns at or below their 5 % quantile",
    measure: ({ returns }) => (returns.length < 2 ? Number.NaN : conditionalValueAtRisk(returns)),
    absent: tooFewReturns
  },
  psr: {
    title: "Probabilistic Sharpe ratio",
    unit: "fraction",
    better: "higher",
    formula: "probability that the true Sharpe ratio is above 0, given skewness and raw kurtosis",
    measure: measureConfidence,
    absent: "the returns do not vary, or there are fewer than three"
  },
  trades: {
    title: "Closed positions",
    unit: "count",
    better: "neither",
    formula: "count of positions that were closed",
    measure: ({ pnls }) => pnls.length,
    absent: noPositions
  },
  win_rate: {
    title: "Win rate",
    unit: "fraction",
    better: "higher",
    formula: "closed positions with a profit after fees / closed positions",
    measure: ({ pnls }) => winRate(pnls),
    absent: noPositions
  },
  profit_factor: {
    title: "Profit factor",
    unit: "ratio",
    better: "higher",
    formula: "sum of profits / sum of losses of closed positions",
    measure: ({ pnls }) => profitFactor(pnls),
    absent: "no closed position lost"
  },
  expectancy: {
    title: "Expectancy",
    unit: "quote",
    better: "higher",
    formula: "mean result of closed positions",
    measure: ({ pnls }) => expectancy(pnls),
    absent: noPositions
  },
  sqn: {
    title: "System quality number",
    unit: "ratio",
    better: "higher",
    formula: "sqrt(count) * mean / standard deviation (ddof 1) of closed positions' results",
    measure: ({ pnls }) => sqn(pnls),
    absent: "the results do not vary, or fewer than two positions were closed"
  },
  average_return: {
    title: "Average return of a position",
    unit: "fraction",
    better: "higher",
    formula: "mean of closed positions' results / notional at entry",
    measure: ({ positionReturns }) => mean(positionReturns),
    absent: noPositions
  },
  best_return: {
    title: "Best return of a position",
    unit: "fraction",
    better: "higher",
    formula: "largest of closed positions' results / notional at entry",
    measure: ({ positionReturns }) => extreme(positionReturns, 1),
    absent: noPositions
  },
  worst_return: {
    title: "Worst return of a position",
    unit: "fraction",
    better: "higher",
    formula: "smallest of closed positions' results / notional at entry",
    measure: ({ positionReturns }) => extreme(positionReturns, -1),
    absent: noPositions
  },
  average_candles_held: {
    title: "Average holding time",
    unit: "candles",
    better: "neither",
    formula: "mean count of candles from entry to exit",
    measure: ({ heldCounts }) => mean(heldCounts),
    absent: noPositions
  },
  exposure_time: {
    title: "Time in the market",
    unit: "fraction",
    better: "neither",
    formula: "candles with a position / candles",
    measure: ({ notional }) => exposureTime(notional),
    absent: noCandles
  },
  exposure: {
    title: "Exposure",
    unit: "fraction",
    better: "neither",
    formula: "mean of positions' notional / equity over candles",
    measure: ({ notional, equity }) => exposure(notional, equity),
    absent: noCandles
  },
  turnover: {
    title: "Turnover",
    unit: "ratio",
    better: "neither",
    formula: "notional of all fills / mean equity",
    measure: ({ traded, equity }) => turnover(traded, equity),
    absent: noCandles
  },
  fees_paid: {
    title: "Fees paid",
    unit: "quote",
    better: "lower",
    formula: "sum of the fees of all fills",
    measure: ({ feesPaid }) => feesPaid,
    absent: noCandles
  }
} as const satisfies Record<Objective, Metric> & Record<string, Metric>

/** The name of a metric. @category models @since 0.1.0 */
export type MetricName = keyof typeof metrics

/** The names of all metrics. @category tables @since 0.1.0 */
export const metricNames = Object.keys(metrics) as ReadonlyArray<MetricName>

/** Metrics by name, and why some are null. @category models @since 0.1.0 */
export interface MeasuredMetrics {
  readonly metrics: MetricValues
  readonly reasons: Readonly<Record<string, string>>
}

/**
 * Measures every metric; one that is not a finite number is null with its reason.
 *
 * @category measuring
 * @since 0.1.0
 */
export const measureAll = (measurement: Measurement): MeasuredMetrics => {
  const values: Record<string, number | null> = {}
  const reasons: Record<string, string> = {}
  for (const name of metricNames) {
    const { measure, absent }: Metric = metrics[name]
    const value = measurement.time.length === 0 ? Number.NaN : measure(measurement)
    if (Number.isFinite(value)) values[name] = value
    else {
      values[name] = null
      reasons[name] = measurement.time.length === 0 ? noCandles : absent
    }
  }
  return { metrics: values, reasons }
}

/**
 * Measures one metric; null where it is not a finite number.
 *
 * **When to use**
 *
 * In a search, where only the objective of each trial matters.
 *
 * @category measuring
 * @since 0.1.0
 */
export const measureOne = (name: MetricName, measurement: Measurement): number | null => {
  const value = measurement.time.length === 0 ? Number.NaN : metrics[name].measure(measurement)
  return Number.isFinite(value) ? value : null
}

/**
 * How good an objective's value is, higher always better; null is worse than every number.
 *
 * @category objectives
 * @since 0.1.0
 */
export const scoreOf = (objective: Objective, value: number | null | undefined): number =>
  value === null || value === undefined
    ? Number.NEGATIVE_INFINITY
    : metrics[objective].better === "lower"
      ? -value
      : value

/**
 * How good these metrics are for an objective, higher always better; a null metric is worse than
 * every number.
 *
 * @category objectives
 * @since 0.1.0
 */
export const objectiveScore = (objective: Objective, values: MetricValues): number =>
  scoreOf(objective, values[objective])
