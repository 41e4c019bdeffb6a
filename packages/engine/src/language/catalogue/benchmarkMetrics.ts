/**
 * Metrics against the returns of a benchmark over the same candles.
 *
 * @since 0.1.0
 */
import { alpha } from "../../kernel/metrics/alpha.ts"
import { beta } from "../../kernel/metrics/beta.ts"
import { captureRatio } from "../../kernel/metrics/captureRatio.ts"
import { correlation } from "../../kernel/metrics/correlation.ts"
import { informationRatio } from "../../kernel/metrics/informationRatio.ts"
import { trackingError } from "../../kernel/metrics/trackingError.ts"
import type { Measurement } from "../Measurement.ts"
import type { Metric } from "../MetricRow.ts"

const against =
  (kernel: (returns: Float64Array, benchmark: Float64Array, periodsPerYear: number) => number) =>
  ({ returns, benchmarkReturns, periodsPerYear }: Measurement): number =>
    benchmarkReturns === null || returns.length < 2
      ? Number.NaN
      : kernel(returns, benchmarkReturns, periodsPerYear)

/** Rows of the catalogue. @category tables @since 0.1.0 */
export const benchmarkMetrics = {
  alpha: {
    title: "Alpha",
    unit: "fraction",
    better: "higher",
    formula: "(mean of returns - beta * mean of the benchmark's) * periods a year",
    measure: against(alpha),
    absent: "there is no benchmark to compare with, or it does not vary"
  },
  beta: {
    title: "Beta",
    unit: "ratio",
    better: "neither",
    formula: "covariance of returns with the benchmark's / variance of the benchmark's",
    measure: against(beta),
    absent: "there is no benchmark to compare with, or it does not vary"
  },
  correlation: {
    title: "Correlation",
    unit: "ratio",
    better: "neither",
    formula: "covariance of returns with the benchmark's / both standard deviations",
    measure: against(correlation),
    absent: "there is no benchmark to compare with, or one of them does not vary"
  },
  tracking_error: {
    title: "Tracking error",
    unit: "fraction",
    better: "neither",
    formula: "standard deviation of returns - the benchmark's (ddof 1) * sqrt(periods a year)",
    measure: against(trackingError),
    absent: "there is no benchmark to compare with, or there are fewer than two return periods"
  },
  information_ratio: {
    title: "Information ratio",
    unit: "ratio",
    better: "higher",
    formula:
      "mean of returns - the benchmark's / their standard deviation (ddof 1) * sqrt(periods a year)",
    measure: against(informationRatio),
    absent: "there is no benchmark to compare with, or the difference from it does not vary"
  },
  up_capture: {
    title: "Up capture",
    unit: "ratio",
    better: "higher",
    formula: "compounded mean of returns where the benchmark rose / that of the benchmark",
    measure: against((returns, benchmark) => captureRatio(returns, benchmark, 1)),
    absent: "there is no benchmark to compare with, or it never rose"
  },
  down_capture: {
    title: "Down capture",
    unit: "ratio",
    better: "lower",
    formula: "compounded mean of returns where the benchmark fell / that of the benchmark",
    measure: against((returns, benchmark) => captureRatio(returns, benchmark, -1)),
    absent: "there is no benchmark to compare with, or it never fell"
  }
} as const satisfies Record<string, Metric>
