/**
 * Row 5: strategies drawn at random from 124 conditions over 29 columns. Each enters where three
 * conditions hold, leaves where one of two holds, and has a stop and a target of its own.
 *
 * The cost of a round trip depends on how far apart round trips are. The prototype's conditions
 * were not kept, but its trades were counted: 156 millions. The frequent conditions are drawn up to
 * trade about as often; the rarer ones trade about half as often.
 */
import type { Rule, Series, StrategyDefinition } from "@candlewick/core"
import { makeUniform } from "../candles.ts"
import type { Run } from "../Engine.ts"

/** The input of a condition. */
export type ConditionColumn =
  | { readonly kind: "close" | "macd" | "macd_signal" }
  | { readonly kind: "sma" | "ema" | "rsi" | "roc"; readonly period: number }
  | {
      readonly kind: "upper" | "lower"
      readonly period: number
      readonly deviations: number
    }

/** Whether a column is above or below another, or a level. */
export interface Condition {
  readonly type: "above" | "below"
  readonly left: ConditionColumn
  readonly right: ConditionColumn | number
}

/** A strategy as its conditions, for those who don't read definitions. */
export interface RandomStrategy extends Run {
  /** Conditions that hold together where it enters. */
  readonly enters: readonly [Condition, Condition, Condition]
  /** Conditions of which one is enough to leave. */
  readonly leaves: readonly [Condition, Condition]
  /** Stop and target in multiples of the ATR 14. */
  readonly stop: number
  readonly target: number
}

const close: ConditionColumn = { kind: "close" }
const bothWays = ["above", "below"] as const

/** Periods and levels of conditions. */
interface ConditionSettings {
  readonly averages: ReadonlyArray<number>
  readonly rsi: { readonly periods: ReadonlyArray<number>; readonly fromMiddle: number }
  readonly roc: { readonly periods: ReadonlyArray<number>; readonly percent: number }
  readonly bands: ReadonlyArray<{ readonly period: number; readonly deviations: number }>
}

/** About as often as the prototype's, which was 15.6 times in 1 000 candles of the series. */
const frequent: ConditionSettings = {
  averages: [2, 3, 4, 6, 8, 12],
  rsi: { periods: [2, 3, 4, 6], fromMiddle: 5 },
  roc: { periods: [1, 2, 3, 4], percent: 0.01 },
  bands: [
    { period: 5, deviations: 0.5 },
    { period: 8, deviations: 1 },
    { period: 13, deviations: 1 }
  ]
}

/** With periods as people like them. */
const rarer: ConditionSettings = {
  averages: [3, 5, 10, 20, 50, 100],
  rsi: { periods: [5, 7, 14, 21], fromMiddle: 10 },
  roc: { periods: [1, 5, 15, 60], percent: 0.05 },
  bands: [
    { period: 20, deviations: 1 },
    { period: 20, deviations: 2 },
    { period: 50, deviations: 1.5 }
  ]
}

const averageConditions = (
  kind: "sma" | "ema",
  periods: ReadonlyArray<number>
): ReadonlyArray<Condition> => {
  const averages = periods.map((period): ConditionColumn => ({ kind, period }))
  return averages.flatMap((left, index) =>
    bothWays.flatMap((type): ReadonlyArray<Condition> => [
      { type, left: close, right: left },
      ...averages.slice(index + 1).map((right): Condition => ({ type, left, right }))
    ])
  )
}

const levelConditions = (
  left: ConditionColumn,
  levels: ReadonlyArray<readonly [Condition["type"], number]>
): ReadonlyArray<Condition> => levels.map(([type, right]) => ({ type, left, right }))

const toConditions = (settings: ConditionSettings): ReadonlyArray<Condition> => {
  const { averages, bands, roc, rsi } = settings
  return [
    ...averageConditions("sma", averages),
    ...averageConditions("ema", averages),
    ...rsi.periods.flatMap((period) =>
      levelConditions({ kind: "rsi", period }, [
        ["below", 50 - rsi.fromMiddle],
        ["below", 50],
        ["above", 50],
        ["above", 50 + rsi.fromMiddle]
      ])
    ),
    ...roc.periods.flatMap((period) =>
      levelConditions({ kind: "roc", period }, [
        ["above", 0],
        ["below", 0],
        ["above", roc.percent],
        ["below", -roc.percent]
      ])
    ),
    ...bands.flatMap((band): ReadonlyArray<Condition> => [
      { type: "below", left: close, right: { kind: "lower", ...band } },
      { type: "above", left: close, right: { kind: "upper", ...band } }
    ]),
    ...bothWays.map((type): Condition => ({
      type,
      left: { kind: "macd" },
      right: { kind: "macd_signal" }
    }))
  ]
}

/** Every condition that a strategy may have. */
const conditions = { frequent: toConditions(frequent), rarer: toConditions(rarer) }

/** How often strategies trade. */
export type TradeFrequency = keyof typeof conditions

const toSeries = (column: ConditionColumn): Series => {
  switch (column.kind) {
    case "close":
      return { type: "price", field: "close" }
    case "macd":
      return { type: "macd", output: "macd" }
    case "macd_signal":
      return { type: "macd", output: "signal" }
    case "upper":
    case "lower": {
      const { deviations, kind, period } = column
      return { type: "bollinger", period, deviations, output: kind }
    }
    default:
      return { type: column.kind, period: column.period }
  }
}

const toRule = ({ left, right, type }: Condition): Rule => ({
  type,
  left: toSeries(left),
  right: typeof right === "number" ? { type: "constant", value: right } : toSeries(right)
})

/** The same strategies at every call. */
export const randomStrategies = (
  count: number,
  frequency: TradeFrequency = "frequent"
): ReadonlyArray<RandomStrategy> => {
  const among = conditions[frequency]
  const uniform = makeUniform(99)
  const whole = (below: number): number => Math.floor(uniform() * below)
  const draw = (): Condition => among[whole(among.length)]!
  return Array.from({ length: count }, (): RandomStrategy => {
    const enters = [draw(), draw(), draw()] as const
    const leaves = [draw(), draw()] as const
    const stop = 1 + 0.5 * whole(9)
    const target = 1 + 0.75 * whole(9)
    const definition: StrategyDefinition = {
      format: 1,
      symbols: ["BENCH/USD"],
      timeframe: "1m",
      parameters: {},
      long: {
        enter: { type: "all", rules: [toRule(enters[0]), toRule(enters[1]), toRule(enters[2])] },
        exit: { type: "any", rules: [toRule(leaves[0]), toRule(leaves[1])] }
      },
      exits: {
        stop_loss: { type: "atr", period: 14, multiple: stop },
        take_profit: { type: "atr", period: 14, multiple: target }
      },
      reentry: { cooldown: 1 }
    }
    return { definition, values: {}, enters, leaves, stop, target }
  })
}
