/**
 * Strategies written in TypeScript: rules, parameters and the whole, as the plain values that JSON
 * would hold.
 *
 * @since 0.1.0
 */
import type { Unit } from "./IndicatorRow.ts"
import type { Parameter, Setting } from "./Parameter.ts"
import type { Rule, Series, Weekday } from "./Rule.ts"
import type { Distance } from "./Exits.ts"
import { toSeries } from "./buildSeries.ts"
import type { ComparableWith, SeriesIn } from "./buildSeries.ts"
import {
  type Declared,
  formatOf,
  resolveParts,
  type StrategyParts,
  type StrategyWith
} from "./StrategyParts.ts"
import type { DirectionParts, DistanceIn, ExitParts, ReentryParts } from "./TypedParts.ts"
import type { WholeSetting } from "./TypedSetting.ts"

/** Whether `left` is above `right`. @category rules @since 0.1.0 */
export const above = <U extends Unit>(
  left: SeriesIn<U>,
  right: ComparableWith<NoInfer<U>>
): Rule => ({ type: "above", left, right: toSeries(right) })

/** Whether `left` is below `right`. @category rules @since 0.1.0 */
export const below = <U extends Unit>(
  left: SeriesIn<U>,
  right: ComparableWith<NoInfer<U>>
): Rule => ({ type: "below", left, right: toSeries(right) })

/** Whether `left` has just gone above `right`. @category rules @since 0.1.0 */
export const crossesAbove = <U extends Unit>(
  left: SeriesIn<U>,
  right: ComparableWith<NoInfer<U>>
): Rule => ({ type: "crosses_above", left, right: toSeries(right) })

/** Whether `left` has just gone below `right`. @category rules @since 0.1.0 */
export const crossesBelow = <U extends Unit>(
  left: SeriesIn<U>,
  right: ComparableWith<NoInfer<U>>
): Rule => ({ type: "crosses_below", left, right: toSeries(right) })

/** Whether a series is from `low` to `high`, both included. @category rules @since 0.1.0 */
export const between = <U extends Unit>(
  of: SeriesIn<U>,
  low: ComparableWith<NoInfer<U>>,
  high: ComparableWith<NoInfer<U>>
): Rule => ({ type: "between", of, low: toSeries(low), high: toSeries(high) })

/** Whether a series has risen with each of the last candles. @category rules @since 0.1.0 */
export const rising = (of: Series, candles: WholeSetting): Rule => ({
  type: "rising",
  of,
  for: candles
})

/** Whether a series has fallen with each of the last candles. @category rules @since 0.1.0 */
export const falling = (of: Series, candles: WholeSetting): Rule => ({
  type: "falling",
  of,
  for: candles
})

/** Whether a rule has been true for the last candles. @category rules @since 0.1.0 */
export const trueFor = (rule: Rule, candles: WholeSetting): Rule => ({
  type: "true_for",
  rule,
  for: candles
})

/** Whether every one of these rules is true. @category rules @since 0.1.0 */
export const all = (...rules: readonly [Rule, ...ReadonlyArray<Rule>]): Rule => ({
  type: "all",
  rules
})

/** Whether at least one of these rules is true. @category rules @since 0.1.0 */
export const any = (...rules: readonly [Rule, ...ReadonlyArray<Rule>]): Rule => ({
  type: "any",
  rules
})

/** Whether a rule is false; undefined stays undefined. @category rules @since 0.1.0 */
export const not = (rule: Rule): Rule => ({ type: "not", rule })

/**
 * Whether the candle opens from this hour, UTC, and before that one.
 *
 * @category rules
 * @since 0.1.0
 */
export const hours = (from: number, to: number): Rule => ({ type: "hours", from, to })

/** Whether the candle opens on one of these days, UTC. @category rules @since 0.1.0 */
export const onWeekdays = (...days: readonly [Weekday, ...ReadonlyArray<Weekday>]): Rule => ({
  type: "weekdays",
  days
})

type DistanceOf<Type extends Distance["type"]> = Extract<Distance, { readonly type: Type }>

/** A distance that is a fraction of the entry price. @category exits @since 0.1.0 */
export const fractionOf = (value: Setting): DistanceOf<"fraction"> => ({ type: "fraction", value })

/** A distance that is a multiple of the average true range. @category exits @since 0.1.0 */
export const atrMultiple = (multiple: Setting, period: WholeSetting = 14): DistanceOf<"atr"> => ({
  type: "atr",
  period,
  multiple
})

/** A level that a series gives. @category exits @since 0.1.0 */
export const level = <U extends "price" | "price_difference" | "number">(
  series: SeriesIn<U>
): DistanceIn<U extends "number" ? "price" | "price_difference" : U> => ({ type: "level", series })

type ParameterOf<Kind extends Parameter["kind"]> = Extract<Parameter, { readonly kind: Kind }>

/** A whole-number parameter. @category models @since 0.1.0 */
export interface IntegerParameter extends ParameterOf<"integer"> {}

/** A parameter that may have a fraction. @category models @since 0.1.0 */
export interface FloatParameter extends ParameterOf<"float"> {}

/** A parameter that is one of a few numbers. @category models @since 0.1.0 */
export interface ChoiceParameter extends ParameterOf<"choice"> {}

/** A whole-number parameter. @category parameters @since 0.1.0 */
export const integer = (
  initial: number,
  min: number,
  max: number,
  step?: number
): IntegerParameter => ({
  kind: "integer",
  default: initial,
  min,
  max,
  ...(step === undefined ? {} : { step })
})

/**
 * A parameter that may have a fraction, on a scale of steps or of ratios.
 *
 * @category parameters
 * @since 0.1.0
 */
export const float = (
  initial: number,
  min: number,
  max: number,
  scale:
    | { readonly step?: number; readonly log?: never }
    | { readonly log: true; readonly step?: never } = {}
): FloatParameter => ({ kind: "float", default: initial, min, max, ...scale })

/** A parameter that is one of a few numbers. @category parameters @since 0.1.0 */
export const choice = <const Option extends number>(
  initial: NoInfer<Option>,
  ...options: readonly [Option, ...ReadonlyArray<Option>]
): ChoiceParameter => ({ kind: "choice", default: initial, options })

/**
 * A whole strategy in the current format.
 *
 * **Details**
 *
 * A part that uses parameters is a function of them.
 *
 * **Gotchas**
 *
 * The compiler sees kinds, units and which parameters there are; `checkStrategy` sees the bounds.
 *
 * @category strategies
 * @since 0.1.0
 */
export const buildStrategy = <
  const P extends Declared = {},
  L extends DirectionParts = DirectionParts,
  S extends DirectionParts = DirectionParts,
  E extends ExitParts = ExitParts,
  R extends ReentryParts = ReentryParts
>(
  parts: StrategyParts<P, L, S, E, R>
): StrategyWith<keyof P & string> => {
  const parameters: Declared = parts.parameters ?? {}
  const definition = { ...resolveParts(parts, parameters), format: formatOf(parts), parameters }
  // The functions of the parameters are now their results.
  return definition as unknown as StrategyWith<keyof P & string>
}
