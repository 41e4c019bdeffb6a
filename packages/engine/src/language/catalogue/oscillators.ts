/**
 * Indicators of momentum and of volume.
 *
 * @since 0.1.0
 */
import { aroonColumn, aroonStep, aroonWarmup } from "../../kernel/indicators/aroon.ts"
import { cciColumn, cciStep, cciWarmup } from "../../kernel/indicators/cci.ts"
import { cmfColumn, cmfStep, cmfWarmup } from "../../kernel/indicators/cmf.ts"
import { macdColumn, macdStep, macdWarmup } from "../../kernel/indicators/macd.ts"
import { mfiColumn, mfiStep, mfiWarmup } from "../../kernel/indicators/mfi.ts"
import { momentumColumn, momentumStep, momentumWarmup } from "../../kernel/indicators/momentum.ts"
import { obvColumn, obvStep, obvWarmup } from "../../kernel/indicators/obv.ts"
import { rocColumn, rocStep, rocWarmup } from "../../kernel/indicators/roc.ts"
import { rsiColumn, rsiStep, rsiWarmup } from "../../kernel/indicators/rsi.ts"
import {
  stochasticColumn,
  stochasticStep,
  stochasticWarmup
} from "../../kernel/indicators/stochastic.ts"
import { stochRsiColumn, stochRsiStep, stochRsiWarmup } from "../../kernel/indicators/stochRsi.ts"
import { tsiColumn, tsiStep, tsiWarmup } from "../../kernel/indicators/tsi.ts"
import { vortexColumn, vortexStep, vortexWarmup } from "../../kernel/indicators/vortex.ts"
import {
  williamsRColumn,
  williamsRStep,
  williamsRWarmup
} from "../../kernel/indicators/williamsR.ts"
import type { Indicator } from "../IndicatorRow.ts"
import { periodSetting as period } from "./periodSetting.ts"

/** Rows of the catalogue. @category tables @since 0.1.0 */
export const oscillators = {
  rsi: {
    title: "Relative strength index",
    label: "RSI",
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
    label: "MACD",
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
  stochastic: {
    title: "Stochastic oscillator",
    label: "stochastic",
    settings: { period: period(14), smooth: period(3), signal: period(3) },
    inputs: ["high", "low", "close"],
    outputs: { k: "percent", d: "percent" },
    warmup: stochasticWarmup,
    column: stochasticColumn,
    step: stochasticStep,
    reference: "G. Lane; the slow form, all averages simple. `smooth` 1 is the fast form."
  },
  stoch_rsi: {
    title: "Stochastic of the relative strength index",
    label: "stochastic RSI",
    settings: {
      rsi: { ...period(14), min: 2 },
      period: { ...period(14), min: 2 },
      smooth: period(1),
      signal: period(3)
    },
    inputs: ["source"],
    outputs: { k: "percent", d: "percent" },
    warmup: stochRsiWarmup,
    column: stochRsiColumn,
    step: stochRsiStep,
    reference: "T. Chande and S. Kroll (1994), times 100; many charts smooth K with `smooth` 3."
  },
  cci: {
    title: "Commodity channel index",
    label: "CCI",
    settings: { period: { ...period(20), min: 2 } },
    inputs: ["high", "low", "close"],
    outputs: { value: "percent" },
    warmup: cciWarmup,
    column: cciColumn,
    step: cciStep,
    reference: "D. Lambert (1980); mean deviation about the current mean, constant 0.015."
  },
  mfi: {
    title: "Money flow index",
    label: "MFI",
    settings: { period: period(14) },
    inputs: ["high", "low", "close", "volume"],
    outputs: { value: "percent" },
    warmup: mfiWarmup,
    column: mfiColumn,
    step: mfiStep,
    reference: "G. Quong and A. Soudack (1989); an unchanged typical price counts for neither side."
  },
  obv: {
    title: "On-balance volume",
    label: "OBV",
    settings: {},
    inputs: ["close", "volume"],
    outputs: { value: "volume" },
    warmup: obvWarmup,
    column: obvColumn,
    step: obvStep,
    reference: "J. Granville (1963); starts at the first candle's volume."
  },
  williams_r: {
    title: "Williams %R",
    label: "Williams %R",
    settings: { period: period(14) },
    inputs: ["high", "low", "close"],
    outputs: { value: "percent" },
    warmup: williamsRWarmup,
    column: williamsRColumn,
    step: williamsRStep,
    reference: "L. Williams (1973); from -100 to 0."
  },
  roc: {
    title: "Rate of change",
    label: "rate of change",
    settings: { period: period(10) },
    inputs: ["source"],
    outputs: { value: "percent" },
    warmup: rocWarmup,
    column: rocColumn,
    step: rocStep,
    reference: "Change since `period` candles ago, in percent of the value then."
  },
  momentum: {
    title: "Momentum",
    label: "momentum",
    settings: { period: period(10) },
    inputs: ["source"],
    outputs: { value: "source_difference" },
    warmup: momentumWarmup,
    column: momentumColumn,
    step: momentumStep,
    reference: "Change since `period` candles ago."
  },
  cmf: {
    title: "Chaikin money flow",
    label: "CMF",
    settings: { period: period(20) },
    inputs: ["high", "low", "close", "volume"],
    outputs: { value: "ratio" },
    warmup: cmfWarmup,
    column: cmfColumn,
    step: cmfStep,
    reference: "M. Chaikin; sum of the weighted volume by the sum of the volume, from -1 to 1."
  },
  tsi: {
    title: "True strength index",
    label: "TSI",
    settings: { long: period(25), short: period(13), signal: period(7) },
    inputs: ["source"],
    outputs: { value: "percent", signal: "percent" },
    warmup: tsiWarmup,
    column: tsiColumn,
    step: tsiStep,
    reference: "W. Blau (1991); exponential averages, each seeded with a simple mean."
  },
  aroon: {
    title: "Aroon",
    label: "Aroon",
    settings: { period: period(14) },
    inputs: ["high", "low"],
    outputs: { up: "percent", down: "percent" },
    warmup: aroonWarmup,
    column: aroonColumn,
    step: aroonStep,
    reference:
      "T. Chande (1995); the window is `period` + 1 candles, of equal extremes the newest counts."
  },
  vortex: {
    title: "Vortex indicator",
    label: "vortex",
    settings: { period: period(14) },
    inputs: ["high", "low", "close"],
    outputs: { plus: "ratio", minus: "ratio" },
    warmup: vortexWarmup,
    column: vortexColumn,
    step: vortexStep,
    reference: "E. Botes and D. Siepman (2010)."
  }
} as const satisfies Record<string, Indicator>
