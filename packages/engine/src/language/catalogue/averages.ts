/**
 * Moving averages and the indicators made of them.
 *
 * @since 0.1.0
 */
import { demaColumn, demaStep, demaWarmup } from "../../kernel/indicators/dema.ts"
import { emaColumn, emaStep, emaWarmup } from "../../kernel/indicators/ema.ts"
import {
  heikinAshiColumn,
  heikinAshiStep,
  heikinAshiWarmup
} from "../../kernel/indicators/heikinAshi.ts"
import { hmaColumn, hmaStep, hmaWarmup } from "../../kernel/indicators/hma.ts"
import { kamaColumn, kamaStep, kamaWarmup } from "../../kernel/indicators/kama.ts"
import {
  linearRegressionSlopeColumn,
  linearRegressionSlopeStep,
  linearRegressionSlopeWarmup
} from "../../kernel/indicators/linearRegressionSlope.ts"
import { smaColumn, smaStep, smaWarmup } from "../../kernel/indicators/sma.ts"
import {
  standardDeviationColumn,
  standardDeviationStep,
  standardDeviationWarmup
} from "../../kernel/indicators/standardDeviation.ts"
import { temaColumn, temaStep, temaWarmup } from "../../kernel/indicators/tema.ts"
import { trixColumn, trixStep, trixWarmup } from "../../kernel/indicators/trix.ts"
import { vwapColumn, vwapStep, vwapWarmup } from "../../kernel/indicators/vwap.ts"
import { vwmaColumn, vwmaStep, vwmaWarmup } from "../../kernel/indicators/vwma.ts"
import { wmaColumn, wmaStep, wmaWarmup } from "../../kernel/indicators/wma.ts"
import { zScoreColumn, zScoreStep, zScoreWarmup } from "../../kernel/indicators/zScore.ts"
import type { Indicator } from "../IndicatorRow.ts"
import { periodSetting as period } from "./periodSetting.ts"

/** Rows of the catalogue. @category tables @since 0.1.0 */
export const averages = {
  sma: {
    title: "Simple moving average",
    label: "SMA",
    settings: { period: period(20) },
    inputs: ["source"],
    outputs: { value: "source" },
    warmup: smaWarmup,
    column: smaColumn,
    step: smaStep,
    reference: "Mean of the last `period` values."
  },
  ema: {
    title: "Exponential moving average",
    label: "EMA",
    settings: { period: period(20) },
    inputs: ["source"],
    outputs: { value: "source" },
    warmup: emaWarmup,
    column: emaColumn,
    step: emaStep,
    reference:
      "Smoothing 2 / (period + 1), seeded with the simple mean of the first `period` values."
  },
  wma: {
    title: "Weighted moving average",
    label: "WMA",
    settings: { period: period(20) },
    inputs: ["source"],
    outputs: { value: "source" },
    warmup: wmaWarmup,
    column: wmaColumn,
    step: wmaStep,
    reference: "Weights 1 to `period`, the newest value with the largest."
  },
  dema: {
    title: "Double exponential moving average",
    label: "DEMA",
    settings: { period: period(20) },
    inputs: ["source"],
    outputs: { value: "source" },
    warmup: demaWarmup,
    column: demaColumn,
    step: demaStep,
    reference: "P. Mulloy (1994); the second average is seeded with the first values of the first."
  },
  tema: {
    title: "Triple exponential moving average",
    label: "TEMA",
    settings: { period: period(20) },
    inputs: ["source"],
    outputs: { value: "source" },
    warmup: temaWarmup,
    column: temaColumn,
    step: temaStep,
    reference: "P. Mulloy (1994); each average is seeded with the first values of the one before."
  },
  kama: {
    title: "Kaufman's adaptive moving average",
    label: "KAMA",
    settings: { period: period(10), fast: period(2), slow: period(30) },
    inputs: ["source"],
    outputs: { value: "source" },
    warmup: kamaWarmup,
    column: kamaColumn,
    step: kamaStep,
    reference: "P. Kaufman, Smarter Trading (1995); starts from the value before its first."
  },
  hma: {
    title: "Hull moving average",
    label: "Hull average",
    settings: { period: { ...period(20), min: 2 } },
    inputs: ["source"],
    outputs: { value: "source" },
    warmup: hmaWarmup,
    column: hmaColumn,
    step: hmaStep,
    reference: "A. Hull (2005); half and square root of the period are rounded down."
  },
  vwma: {
    title: "Volume-weighted moving average",
    label: "VWMA",
    settings: { period: period(20) },
    inputs: ["source", "volume"],
    outputs: { value: "source" },
    warmup: vwmaWarmup,
    column: vwmaColumn,
    step: vwmaStep,
    reference: "Sum of value times volume over sum of volume; undefined without any volume."
  },
  vwap: {
    title: "Volume-weighted average price",
    label: "VWAP",
    settings: {},
    inputs: ["time", "high", "low", "close", "volume"],
    outputs: { value: "price" },
    warmup: vwapWarmup,
    column: vwapColumn,
    step: vwapStep,
    reference: "Typical price, (high + low + close) / 3; starts again with each UTC day."
  },
  trix: {
    title: "Triple exponential rate of change",
    label: "TRIX",
    settings: { period: period(15) },
    inputs: ["source"],
    outputs: { value: "percent" },
    warmup: trixWarmup,
    column: trixColumn,
    step: trixStep,
    reference: "J. Hutson (1983); change of the triple average since the candle before."
  },
  slope: {
    title: "Linear regression slope",
    label: "slope",
    settings: { period: { ...period(14), min: 2 } },
    inputs: ["source"],
    outputs: { value: "source_difference" },
    warmup: linearRegressionSlopeWarmup,
    column: linearRegressionSlopeColumn,
    step: linearRegressionSlopeStep,
    reference: "Slope per candle of the least-squares line through the last `period` values."
  },
  stddev: {
    title: "Standard deviation",
    label: "standard deviation",
    settings: { period: { ...period(20), min: 2 } },
    inputs: ["source"],
    outputs: { value: "source_difference" },
    warmup: standardDeviationWarmup,
    column: standardDeviationColumn,
    step: standardDeviationStep,
    reference: "Population standard deviation: the squares are divided by `period`."
  },
  z_score: {
    title: "Z-score",
    label: "z-score",
    settings: { period: { ...period(20), min: 2 } },
    inputs: ["source"],
    outputs: { value: "ratio" },
    warmup: zScoreWarmup,
    column: zScoreColumn,
    step: zScoreStep,
    reference: "Distance from the mean in population standard deviations; 0 where nothing moved."
  },
  heikin_ashi: {
    title: "Heikin-Ashi",
    label: "Heikin-Ashi candle",
    settings: {},
    inputs: ["open", "high", "low", "close"],
    outputs: { open: "price", high: "price", low: "price", close: "price" },
    warmup: heikinAshiWarmup,
    column: heikinAshiColumn,
    step: heikinAshiStep,
    reference: "The first open is the middle of the first candle's open and close."
  }
} as const satisfies Record<string, Indicator>
