/**
 * Indicators of volatility and trend, channels among them.
 *
 * @since 0.1.0
 */
import { adxColumn, adxStep, adxWarmup } from "../../kernel/indicators/adx.ts"
import { atrColumn, atrStep, atrWarmup } from "../../kernel/indicators/atr.ts"
import {
  bollingerColumn,
  bollingerStep,
  bollingerWarmup
} from "../../kernel/indicators/bollinger.ts"
import { donchianColumn, donchianStep, donchianWarmup } from "../../kernel/indicators/donchian.ts"
import { ichimokuColumn, ichimokuStep, ichimokuWarmup } from "../../kernel/indicators/ichimoku.ts"
import { keltnerColumn, keltnerStep, keltnerWarmup } from "../../kernel/indicators/keltner.ts"
import { natrColumn, natrStep, natrWarmup } from "../../kernel/indicators/natr.ts"
import { sarColumn, sarStep, sarWarmup } from "../../kernel/indicators/sar.ts"
import {
  supertrendColumn,
  supertrendStep,
  supertrendWarmup
} from "../../kernel/indicators/supertrend.ts"
import {
  ulcerIndexColumn,
  ulcerIndexStep,
  ulcerIndexWarmup
} from "../../kernel/indicators/ulcerIndex.ts"
import type { Indicator } from "../IndicatorRow.ts"
import { periodSetting as period } from "./periodSetting.ts"

/** Rows of the catalogue. @category tables @since 0.1.0 */
export const channels = {
  atr: {
    title: "Average true range",
    label: "ATR",
    settings: { period: period(14) },
    inputs: ["high", "low", "close"],
    outputs: { value: "price_difference" },
    warmup: atrWarmup,
    column: atrColumn,
    step: atrStep,
    reference: "J. W. Wilder (1978); the first true range is that of the second candle."
  },
  natr: {
    title: "Normalised average true range",
    label: "NATR",
    settings: { period: period(14) },
    inputs: ["high", "low", "close"],
    outputs: { value: "percent" },
    warmup: natrWarmup,
    column: natrColumn,
    step: natrStep,
    reference: "J. Forman (2006); Wilder's average true range in percent of the close."
  },
  bollinger: {
    title: "Bollinger bands",
    label: "Bollinger bands",
    settings: {
      period: { ...period(20), min: 2 },
      deviations: { default: 2, min: 0.1, max: 10, kind: "float" }
    },
    inputs: ["source"],
    outputs: { middle: "source", upper: "source", lower: "source" },
    warmup: bollingerWarmup,
    column: bollingerColumn,
    step: bollingerStep,
    reference: "J. Bollinger; population standard deviation."
  },
  donchian: {
    title: "Donchian channel",
    label: "Donchian channel",
    settings: { period: period(20) },
    inputs: ["high", "low"],
    outputs: { upper: "price", middle: "price", lower: "price" },
    warmup: donchianWarmup,
    column: donchianColumn,
    step: donchianStep,
    reference:
      "R. Donchian; the newest candle is part of the channel, so a breakout compares with `shift` 1."
  },
  keltner: {
    title: "Keltner channel",
    label: "Keltner channel",
    settings: {
      period: period(20),
      multiple: { default: 2, min: 0.1, max: 10, kind: "float" },
      atr_period: period(10)
    },
    inputs: ["high", "low", "close"],
    outputs: { middle: "price", upper: "price", lower: "price" },
    warmup: keltnerWarmup,
    column: keltnerColumn,
    step: keltnerStep,
    reference:
      "L. B. Raschke's form: exponential average of the close and Wilder's average true range."
  },
  supertrend: {
    title: "SuperTrend",
    label: "SuperTrend",
    settings: {
      period: period(10),
      multiple: { default: 3, min: 0.1, max: 10, kind: "float" }
    },
    inputs: ["high", "low", "close"],
    outputs: { value: "price", direction: "ratio" },
    warmup: supertrendWarmup,
    column: supertrendColumn,
    step: supertrendStep,
    reference: "O. Seban; direction is 1 while the line is below the close; both bands are carried."
  },
  sar: {
    title: "Parabolic stop and reverse",
    label: "SAR",
    settings: {
      acceleration: { default: 0.02, min: 0.001, max: 1, kind: "float" },
      limit: { default: 0.2, min: 0.001, max: 1, kind: "float" }
    },
    inputs: ["high", "low"],
    outputs: { value: "price" },
    warmup: sarWarmup,
    column: sarColumn,
    step: sarStep,
    reference:
      "J. W. Wilder (1978); the first direction is that of the second candle, as in TA-Lib."
  },
  adx: {
    title: "Average directional index",
    label: "ADX",
    settings: { period: period(14) },
    inputs: ["high", "low", "close"],
    outputs: { adx: "percent", plus_di: "percent", minus_di: "percent" },
    warmup: adxWarmup,
    column: adxColumn,
    step: adxStep,
    reference: "J. W. Wilder (1978); averages seeded with the mean of the first `period` movements."
  },
  ichimoku: {
    title: "Ichimoku cloud",
    label: "Ichimoku cloud",
    settings: { conversion: period(9), base: period(26), span: period(52) },
    inputs: ["high", "low"],
    outputs: { conversion: "price", base: "price", span_a: "price", span_b: "price" },
    warmup: ichimokuWarmup,
    column: ichimokuColumn,
    step: ichimokuStep,
    reference:
      "G. Hosoda; spans come from `base` candles before; the lagging line looks ahead, and is left out."
  },
  ulcer_index: {
    title: "Ulcer index",
    label: "ulcer index",
    settings: { period: period(14) },
    inputs: ["source"],
    outputs: { value: "percent" },
    warmup: ulcerIndexWarmup,
    column: ulcerIndexColumn,
    step: ulcerIndexStep,
    reference: "P. Martin (1987); falls are from the highest value so far within the window."
  }
} as const satisfies Record<string, Indicator>
