/**
 * Row 7: bots on one market, each with six indicators of its own periods and a rule over all of
 * them.
 */
import type { StrategyDefinition } from "@candlewick/core"
import type { Run } from "../Engine.ts"

/** The periods of one bot. */
export interface BotPeriods {
  readonly sma: number
  readonly ema: number
  readonly rsi: number
  readonly fast: number
  readonly slow: number
  readonly signal: number
  readonly band: number
  readonly atr: number
}

/** The inputs of the rule, once every indicator is warm. */
export interface BotValues {
  readonly close: number
  readonly sma: number
  readonly ema: number
  readonly rsi: number
  readonly histogram: number
  readonly upper: number
  readonly atr: number
}

/** The rule, for those who don't read definitions: a move that is strong but not overdone. */
export const botEnters = (values: BotValues): boolean =>
  values.close - values.sma > values.atr &&
  values.close > values.ema &&
  values.histogram > 0 &&
  values.rsi < 70 &&
  values.close < values.upper

const close = { type: "price", field: "close" } as const
const zero = { type: "constant", value: 0 } as const
const period = (initial: number) =>
  ({ kind: "integer", default: initial, min: 2, max: 200 }) as const

const definition: StrategyDefinition = {
  format: 1,
  symbols: ["BENCH/USD"],
  timeframe: "1m",
  parameters: {
    sma: period(20),
    ema: period(20),
    rsi: period(14),
    fast: period(12),
    slow: period(26),
    signal: period(9),
    band: period(20),
    atr: period(14)
  },
  long: {
    enter: {
      type: "all",
      rules: [
        {
          type: "above",
          left: {
            type: "sub",
            left: close,
            right: { type: "sma", period: { parameter: "sma" } }
          },
          right: { type: "atr", period: { parameter: "atr" } }
        },
        { type: "above", left: close, right: { type: "ema", period: { parameter: "ema" } } },
        {
          type: "above",
          left: {
            type: "macd",
            fast: { parameter: "fast" },
            slow: { parameter: "slow" },
            signal: { parameter: "signal" },
            output: "histogram"
          },
          right: zero
        },
        {
          type: "below",
          left: { type: "rsi", period: { parameter: "rsi" } },
          right: { type: "constant", value: 70 }
        },
        {
          type: "below",
          left: close,
          right: {
            type: "bollinger",
            period: { parameter: "band" },
            deviations: 2,
            output: "upper"
          }
        }
      ]
    }
  }
}

/** Bots around the usual periods, hardly two alike. */
export const botRuns = (
  count: number
): ReadonlyArray<Run & { readonly values: BotPeriods & Record<string, number> }> =>
  Array.from({ length: count }, (_, index) => ({
    definition,
    values: {
      sma: 10 + (index % 31),
      ema: 10 + (index % 29),
      rsi: 8 + (index % 17),
      fast: 8 + (index % 7),
      slow: 20 + (index % 19),
      signal: 5 + (index % 8),
      band: 15 + (index % 23),
      atr: 8 + (index % 13)
    }
  }))

/** How many indicators bots ask for that differ in kind or periods. */
export const distinctIndicators = (bots: ReadonlyArray<BotPeriods>): number =>
  new Set(
    bots.flatMap(({ atr, band, ema, fast, rsi, signal, slow, sma }) => [
      `sma ${sma}`,
      `ema ${ema}`,
      `rsi ${rsi}`,
      `macd ${fast} ${slow} ${signal}`,
      `bollinger ${band}`,
      `atr ${atr}`
    ])
  ).size
