/**
 * Metrics of equity and of its returns.
 *
 * @since 0.1.0
 */
import { downsideDeviation } from "../../kernel/metrics/downsideDeviation.ts"
import { gainToPain } from "../../kernel/metrics/gainToPain.ts"
import { minimumTrackRecord } from "../../kernel/metrics/minimumTrackRecord.ts"
import { omegaRatio } from "../../kernel/metrics/omegaRatio.ts"
import { positivePeriods } from "../../kernel/metrics/positivePeriods.ts"
import { probabilisticSharpe, type SharpeSample } from "../../kernel/metrics/probabilisticSharpe.ts"
import { sharpeRatio } from "../../kernel/metrics/sharpeRatio.ts"
import { sortinoRatio } from "../../kernel/metrics/sortinoRatio.ts"
import { stability } from "../../kernel/metrics/stability.ts"
import { tailRatio } from "../../kernel/metrics/tailRatio.ts"
import { totalReturn } from "../../kernel/metrics/totalReturn.ts"
import { conditionalValueAtRisk, valueAtRisk } from "../../kernel/metrics/valueAtRisk.ts"
import { volatility } from "../../kernel/metrics/volatility.ts"
import {
  isSpread,
  kurtosisRaw,
  arithmeticMean,
  skewness,
  standardDeviation
} from "../../kernel/statistics.ts"
import type { Measurement } from "../Measurement.ts"
import type { Metric } from "../MetricRow.ts"
import { absent } from "./absent.ts"
import { equityEnd } from "./equityEnd.ts"
import { extreme } from "./extreme.ts"
import { growthOf } from "./growthOf.ts"

const isVaried = (returns: Float64Array): boolean =>
  returns.length >= 3 && isSpread(standardDeviation(returns), arithmeticMean(returns))

const sampleOf = (returns: Float64Array): SharpeSample | null =>
  isVaried(returns)
    ? {
        sharpe: arithmeticMean(returns) / standardDeviation(returns),
        count: returns.length,
        skewness: skewness(returns),
        kurtosisRaw: kurtosisRaw(returns)
      }
    : null

const measureConfidence = ({ returns }: Measurement): number => {
  const sample = sampleOf(returns)
  return sample === null ? Number.NaN : probabilisticSharpe(sample, 0)
}

const measureTrackRecord = ({ returns }: Measurement): number => {
  const sample = sampleOf(returns)
  return sample === null ? Number.NaN : minimumTrackRecord(sample)
}

/** Rows of the catalogue. @category tables @since 0.1.0 */
export const returnMetrics = {
  total_return: {
    title: "Total return",
    unit: "fraction",
    better: "higher",
    formula: "last equity / first equity - 1",
    measure: (measurement) => totalReturn(measurement.equityStart, equityEnd(measurement)),
    absent: absent.noCandles
  },
  cagr: {
    title: "Compound annual growth rate",
    unit: "fraction",
    better: "higher",
    formula: "(last equity / first equity) ^ (365 days / duration) - 1",
    measure: growthOf,
    absent: "the time is too short to be annualised"
  },
  volatility: {
    title: "Volatility",
    unit: "fraction",
    better: "lower",
    formula: "standard deviation of returns (ddof 1) * sqrt(periods a year)",
    measure: ({ returns, periodsPerYear }) => volatility(returns, periodsPerYear),
    absent: absent.tooFewReturns
  },
  downside_deviation: {
    title: "Downside deviation",
    unit: "fraction",
    better: "lower",
    formula: "sqrt(mean of min(return, 0)^2) * sqrt(periods a year)",
    measure: ({ returns, periodsPerYear }) => downsideDeviation(returns, periodsPerYear),
    absent: absent.noCandles
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
  omega: {
    title: "Omega ratio",
    unit: "ratio",
    better: "higher",
    formula: "sum of returns above 0 / sum of returns below 0",
    measure: ({ returns }) => omegaRatio(returns),
    absent: "no return was a loss"
  },
  gain_to_pain: {
    title: "Gain to pain",
    unit: "ratio",
    better: "higher",
    formula: "sum of returns / size of the sum of returns below 0",
    measure: ({ returns }) => gainToPain(returns),
    absent: "no return was a loss"
  },
  var_95: {
    title: "Value at risk",
    unit: "fraction",
    better: "higher",
    formula: "5 % quantile of returns",
    measure: ({ returns }) => (returns.length < 2 ? Number.NaN : valueAtRisk(returns)),
    absent: absent.tooFewReturns
  },
  cvar_95: {
    title: "Conditional value at risk",
    unit: "fraction",
    better: "higher",
    formula: "mean of the returns at or below their 5 % quantile",
    measure: ({ returns }) => (returns.length < 2 ? Number.NaN : conditionalValueAtRisk(returns)),
    absent: absent.tooFewReturns
  },
  tail_ratio: {
    title: "Tail ratio",
    unit: "ratio",
    better: "higher",
    formula: "size of the 95 % quantile of returns / size of the 5 % quantile",
    measure: ({ returns }) => (returns.length < 2 ? Number.NaN : tailRatio(returns)),
    absent: "the 5 % quantile of returns is 0, or there are fewer than two"
  },
  skewness: {
    title: "Skewness",
    unit: "ratio",
    better: "higher",
    formula: "third central moment of returns / their standard deviation (ddof 0) ^ 3",
    measure: ({ returns }) => (isVaried(returns) ? skewness(returns) : Number.NaN),
    absent: "the returns do not vary, or there are fewer than three"
  },
  kurtosis: {
    title: "Kurtosis",
    unit: "ratio",
    better: "lower",
    formula:
      "fourth central moment of returns / their variance (ddof 0) ^ 2; 3 for a normal distribution",
    measure: ({ returns }) => (isVaried(returns) ? kurtosisRaw(returns) : Number.NaN),
    absent: "the returns do not vary, or there are fewer than three"
  },
  best_period: {
    title: "Best return",
    unit: "fraction",
    better: "higher",
    formula: "largest of returns",
    measure: ({ returns }) => extreme(returns, 1),
    absent: absent.noCandles
  },
  worst_period: {
    title: "Worst return",
    unit: "fraction",
    better: "higher",
    formula: "smallest of returns",
    measure: ({ returns }) => extreme(returns, -1),
    absent: absent.noCandles
  },
  positive_periods: {
    title: "Positive periods",
    unit: "fraction",
    better: "higher",
    formula: "returns above 0 / returns",
    measure: ({ returns }) => positivePeriods(returns),
    absent: absent.noCandles
  },
  stability: {
    title: "Stability",
    unit: "fraction",
    better: "higher",
    formula: "R^2 of a straight line through the logarithm of equity at each period's end",
    measure: ({ returns }) => (returns.length < 3 ? Number.NaN : stability(returns)),
    absent: "equity never changed or was lost, or there are fewer than three return periods"
  },
  psr: {
    title: "Probabilistic Sharpe ratio",
    unit: "fraction",
    better: "higher",
    formula: "probability that the true Sharpe ratio is above 0, given skewness and raw kurtosis",
    measure: measureConfidence,
    absent: "the returns do not vary, or there are fewer than three"
  },
  minimum_track_record: {
    title: "Minimum track record",
    unit: "count",
    better: "lower",
    formula: "return periods after which the probabilistic Sharpe ratio is 0.95",
    measure: measureTrackRecord,
    absent: "the returns do not vary or lose on average, or there are fewer than three"
  }
} as const satisfies Record<string, Metric>
