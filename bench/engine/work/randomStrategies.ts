/**
 * Row 5: strategies drawn at random from 124 conditions over 29 columns. Each enters where three
 * conditions hold, leaves where one of two holds, and has a stop and a target of its own.
 */
import type { Rule, Series, StrategyDefinition } from "@candlewick/core"
import { makeUniform } from "../candles.ts"
import type { Run } from "../Engine.ts"

/** What a condition looks at. */
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
  readonly enters: ReadonlyArray<Condition>
  readonly leaves: ReadonlyArray<Condition>
  /** Stop and target in multiples of the ATR 14. */
  readonly stop: number
  readonly target: number
}

const close: ConditionColumn = { kind: "close" }
const averagePeriods = [3, 5, 10, 20, 50, 100]
const bothWays = ["above", "below"] as const

const averageConditions = (kind: "sma" | "ema"): ReadonlyArray<Condition> => {
  const averages = averagePeriods.map((period): ConditionColumn => ({ kind, period }))
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

const bands = [
  { period: 20, deviations: 1 },
  { period: 20, deviations: 2 },
  { period: 50, deviations: 1.5 }
]

/** Every condition that a strategy may have. */
export const conditions: ReadonlyArray<Condition> = [
  ...averageConditions("sma"),
  ...averageConditions("ema"),
  ...[5, 7, 14, 21].flatMap((period) =>
    levelConditions({ kind: "rsi", period }, [
      ["below", 40],
      ["below", 50],
      ["above", 50],
      ["above", 60]
    ])
  ),
  ...[1, 5, 15, 60].flatMap((period) =>
    levelConditions({ kind: "roc", period }, [
      ["above", 0],
      ["below", 0],
      ["above", 0.05],
      ["below", -0.05]
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
export const randomStrategies = (count: number): ReadonlyArray<RandomStrategy> => {
  const uniform = makeUniform(99)
  const whole = (below: number): number => Math.floor(uniform() * below)
  const draw = (wanted: number): ReadonlyArray<Condition> =>
    Array.from({ length: wanted }, () => conditions[whole(conditions.length)]!)
  return Array.from({ length: count }, (): RandomStrategy => {
    const enters = draw(3)
    const leaves = draw(2)
    const stop = 1 + 0.5 * whole(9)
    const target = 1 + 0.75 * whole(9)
    const definition: StrategyDefinition = {
      format: 1,
      symbols: ["BENCH/USD"],
      timeframe: "1m",
      parameters: {},
      long: {
        enter: { type: "all", rules: [toRule(enters[0]!), ...enters.slice(1).map(toRule)] },
        exit: { type: "any", rules: [toRule(leaves[0]!), ...leaves.slice(1).map(toRule)] }
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
