/**
 * Metrics of the falls of equity below its peaks, by candle.
 *
 * @since 0.1.0
 */
import { calmarRatio } from "../../kernel/metrics/calmarRatio.ts"
import { recoveryFactor } from "../../kernel/metrics/recoveryFactor.ts"
import { type FallSums, fallSums } from "../../kernel/metrics/runningEquity.ts"
import { totalReturn } from "../../kernel/metrics/totalReturn.ts"
import { ulcerPerformanceIndex } from "../../kernel/metrics/ulcerPerformanceIndex.ts"
import type { Measurement } from "../Measurement.ts"
import type { Metric } from "../MetricRow.ts"
import { absent } from "./absent.ts"
import { equityEnd } from "./equityEnd.ts"
import { growthOf } from "./growthOf.ts"
import { sumsOf } from "./sumsOf.ts"

const deepestOf = (measurement: Measurement): number =>
  (measurement.running ?? sumsOf(measurement)).deepest

const fallsOf = (measurement: Measurement): FallSums => {
  const { running } = measurement
  return running === undefined ? sumsOf(measurement).falls : fallSums(running)
}

const ulcerOf = (measurement: Measurement): number => {
  const { equity, running } = measurement
  const [squares, count] =
    running === undefined
      ? [sumsOf(measurement).squares, equity.length]
      : [running.squares, running.count]
  return Math.sqrt(squares / count)
}

/** Rows of the catalogue. @category tables @since 0.1.0 */
export const drawdownMetrics = {
  max_drawdown: {
    title: "Maximum drawdown",
    unit: "fraction",
    better: "lower",
    formula: "largest fraction of equity lost since its highest value so far",
    measure: deepestOf,
    absent: absent.noCandles
  },
  average_drawdown: {
    title: "Average drawdown",
    unit: "fraction",
    better: "lower",
    formula: "mean over drawdowns of the largest fraction of equity lost until it was won back",
    measure: (measurement) => fallsOf(measurement).rates / fallsOf(measurement).count,
    absent: "there was no drawdown"
  },
  max_drawdown_candles: {
    title: "Longest drawdown",
    unit: "candles",
    better: "lower",
    formula: "largest count of candles in a row with equity below its highest value so far",
    measure: (measurement) => fallsOf(measurement).longest,
    absent: absent.noCandles
  },
  average_drawdown_candles: {
    title: "Average drawdown duration",
    unit: "candles",
    better: "lower",
    formula:
      "mean over drawdowns of the count of candles with equity below its highest value so far",
    measure: (measurement) => fallsOf(measurement).candles / fallsOf(measurement).count,
    absent: "there was no drawdown"
  },
  ulcer_index: {
    title: "Ulcer index",
    unit: "fraction",
    better: "lower",
    formula:
      "sqrt(mean over candles of the squared fraction of equity lost since its highest value so far)",
    measure: ulcerOf,
    absent: absent.noCandles
  },
  calmar: {
    title: "Calmar ratio",
    unit: "ratio",
    better: "higher",
    formula: "compound annual growth rate / maximum drawdown",
    measure: (measurement) => calmarRatio(growthOf(measurement), deepestOf(measurement)),
    absent: "there was no drawdown, or the time is too short to be annualised"
  },
  ulcer_performance_index: {
    title: "Ulcer performance index",
    unit: "ratio",
    better: "higher",
    formula: "compound annual growth rate / ulcer index",
    measure: (measurement) => ulcerPerformanceIndex(growthOf(measurement), ulcerOf(measurement)),
    absent: "there was no drawdown, or the time is too short to be annualised"
  },
  recovery_factor: {
    title: "Recovery factor",
    unit: "ratio",
    better: "higher",
    formula: "total return / maximum drawdown",
    measure: (measurement) =>
      recoveryFactor(
        totalReturn(measurement.equityStart, equityEnd(measurement)),
        deepestOf(measurement)
      ),
    absent: "there was no drawdown"
  }
} as const satisfies Record<string, Metric>
