/**
 * Metrics of the falls of equity below its peaks, by candle.
 *
 * @since 0.1.0
 */
import { calmarRatio } from "../../kernel/metrics/calmarRatio.ts"
import { drawdowns, type LastingDrawdown } from "../../kernel/metrics/drawdowns.ts"
import { maxDrawdown } from "../../kernel/metrics/maxDrawdown.ts"
import { recoveryFactor } from "../../kernel/metrics/recoveryFactor.ts"
import { totalReturn } from "../../kernel/metrics/totalReturn.ts"
import { ulcerIndex } from "../../kernel/metrics/ulcerIndex.ts"
import { ulcerPerformanceIndex } from "../../kernel/metrics/ulcerPerformanceIndex.ts"
import { mean } from "../../kernel/statistics.ts"
import type { Measurement } from "../Measurement.ts"
import type { Metric } from "../Metric.ts"
import { absent } from "./absent.ts"
import { equityEnd } from "./equityEnd.ts"
import { growthOf } from "./growthOf.ts"

const deepestOf = ({ equityStart, equity }: Measurement): number =>
  maxDrawdown(equityStart, equity).rate

const fallsOf = ({ equityStart, equity }: Measurement): ReadonlyArray<LastingDrawdown> =>
  drawdowns(equityStart, equity)

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
    measure: (measurement) => mean(fallsOf(measurement).map(({ rate }) => rate)),
    absent: "there was no drawdown"
  },
  max_drawdown_candles: {
    title: "Longest drawdown",
    unit: "candles",
    better: "lower",
    formula: "largest count of candles in a row with equity below its highest value so far",
    measure: (measurement) =>
      fallsOf(measurement).reduce((most, { candleCount }) => Math.max(most, candleCount), 0),
    absent: absent.noCandles
  },
  average_drawdown_candles: {
    title: "Average drawdown duration",
    unit: "candles",
    better: "lower",
    formula:
      "mean over drawdowns of the count of candles with equity below its highest value so far",
    measure: (measurement) => mean(fallsOf(measurement).map(({ candleCount }) => candleCount)),
    absent: "there was no drawdown"
  },
  ulcer_index: {
    title: "Ulcer index",
    unit: "fraction",
    better: "lower",
    formula:
      "sqrt(mean over candles of the squared fraction of equity lost since its highest value so far)",
    measure: ({ equityStart, equity }) => ulcerIndex(equityStart, equity),
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
    measure: (measurement) =>
      ulcerPerformanceIndex(
        growthOf(measurement),
        ulcerIndex(measurement.equityStart, measurement.equity)
      ),
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
