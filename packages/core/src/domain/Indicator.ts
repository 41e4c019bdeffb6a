/**
 * The indicator catalogue: for each indicator its name, settings, inputs, outputs, units, kernels
 * and reference.
 *
 * The rule language, the documentation and the contract tests are derived from these rows; an
 * indicator is one row here and one file in `kernel/indicators/`.
 *
 * @since 0.1.0
 */
import { atrColumn, atrStep, atrWarmup } from "../kernel/indicators/atr.ts"
import { bollingerColumn, bollingerStep, bollingerWarmup } from "../kernel/indicators/bollinger.ts"
import { donchianColumn, donchianStep, donchianWarmup } from "../kernel/indicators/donchian.ts"
import { emaColumn, emaStep, emaWarmup } from "../kernel/indicators/ema.ts"
import type { IndicatorStep } from "../kernel/indicators/IndicatorStep.ts"
import { macdColumn, macdStep, macdWarmup } from "../kernel/indicators/macd.ts"
import { rsiColumn, rsiStep, rsiWarmup } from "../kernel/indicators/rsi.ts"
import { smaColumn, smaStep, smaWarmup } from "../kernel/indicators/sma.ts"

/**
 * What a series is measured in; two series can be compared only where these agree.
 *
 * **Details**
 *
 * `percent` runs to 100 and `ratio` to 1, so that neither can be mistaken for the other; `notional`
 * is price times volume. `number` is a constant, which goes with anything.
 *
 * @category models
 * @since 0.1.0
 */
export type Unit =
  | "price"
  | "price_difference"
  | "percent"
  | "ratio"
  | "volume"
  | "notional"
  | "number"

/** What an indicator is computed from. @category models @since 0.1.0 */
export type IndicatorInput = "source" | "open" | "high" | "low" | "close" | "volume"

/** A number that shapes an indicator, with its bounds. @category models @since 0.1.0 */
export interface IndicatorSetting {
  readonly default: number
  readonly min: number
  readonly max: number
  readonly kind: "integer" | "float"
}

/** One row of the catalogue. @category models @since 0.1.0 */
export interface Indicator {
  readonly title: string
  readonly settings: Readonly<Record<string, IndicatorSetting>>
  readonly inputs: ReadonlyArray<IndicatorInput>
  readonly outputs: Readonly<Record<string, Unit | "source" | "source_difference">>
  readonly warmup: (...settings: Array<number>) => number
  readonly column: (
    inputs: ReadonlyArray<Float64Array>,
    settings: ReadonlyArray<number>
  ) => ReadonlyArray<Float64Array>
  readonly step: (settings: ReadonlyArray<number>) => IndicatorStep
  readonly reference: string
}

const period = (value: number): IndicatorSetting => ({
  default: value,
  min: 1,
  max: 1000,
  kind: "integer"
})

/**
 * Every indicator, by the name that a strategy uses; settings and outputs are in the kernels'
 * order, and the first output is the one meant when none is named.
 *
 * @category tables
 * @since 0.1.0
 */
export const indicators = {
  sma: {
    title: "Simple moving average",
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
    settings: { period: period(20) },
    inputs: ["source"],
    outputs: { value: "source" },
    warmup: emaWarmup,
    column: emaColumn,
    step: emaStep,
    reference:
      "Smoothing 2 / (period + 1), seeded with the simple mean of the first `period` values."
  },
  rsi: {
    title: "Relative strength index",
    settings: { period: { ...period(14), min: 2 } },
    inputs: ["source"],
    outputs: { value: "percent" },
    warmup: rsiWarmup,
    column: rsiColumn,
    step: rsiStep,
    reference: "J. W. Wilder, New Concepts in Technical Trading Systems (1978)."
  },
  macd: {
    title: "Moving average convergence divergence",
    settings: { fast: period(12), slow: period(26), signal: period(9) },
    inputs: ["source"],
    outputs: {
      macd: "source_difference",
      signal: "source_difference",
      histogram: "source_difference"
    },
    warmup: macdWarmup,
    column: macdColumn,
    step: macdStep,
    reference: "G. Appel; each average from its own first value, as charts show it."
  },
  bollinger: {
    title: "Bollinger bands",
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
  atr: {
    title: "Average true range",
    settings: { period: period(14) },
    inputs: ["high", "low", "close"],
    outputs: { value: "price_difference" },
    warmup: atrWarmup,
    column: atrColumn,
    step: atrStep,
    reference: "J. W. Wilder (1978); the first true range is that of the second candle."
  },
  donchian: {
    title: "Donchian channel",
    settings: { period: period(20) },
    inputs: ["high", "low"],
    outputs: { upper: "price", middle: "price", lower: "price" },
    warmup: donchianWarmup,
    column: donchianColumn,
    step: donchianStep,
    reference:
      "R. Donchian; the newest candle is part of the channel, so a breakout compares with `shift` 1."
  }
} as const satisfies Record<string, Indicator>

/** The name of an indicator. @category models @since 0.1.0 */
export type IndicatorName = keyof typeof indicators

/** The names of all indicators. @category tables @since 0.1.0 */
export const indicatorNames = Object.keys(indicators) as ReadonlyArray<IndicatorName>
