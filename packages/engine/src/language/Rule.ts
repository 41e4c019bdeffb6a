/**
 * The rule language: series, which change with each candle, and rules, which are yes or no about
 * the newest closed one.
 *
 * Every node is tagged with its `type`, so that a fault can name the node and an editor can
 * complete it. Settings (fixed for a run) and series (changing) are different types: a period can't
 * be a price.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { type IndicatorName, indicatorNames, indicatorCatalogue } from "./Indicator.ts"
import { type Weekday, weekdays } from "./catalogue/weekdays.ts"
import { MarketSymbol } from "./Market.ts"
import { Setting } from "./Parameter.ts"
import { Timeframe } from "./Timeframe.ts"

/** The prices and the volume of a candle that a series may be. @category tables @since 0.1.0 */
export const priceFields = [
  "open",
  "high",
  "low",
  "close",
  "volume",
  "hl2",
  "hlc3",
  "ohlc4"
] as const

/** A price or the volume of a candle. @category models @since 0.1.0 */
export type PriceField = (typeof priceFields)[number]

type IndicatorNode = {
  readonly [Name in IndicatorName]: {
    readonly type: Name
    readonly output?: keyof (typeof indicatorCatalogue)[Name]["outputs"]
    readonly source?: Series
  } & { readonly [S in keyof (typeof indicatorCatalogue)[Name]["settings"]]?: Setting }
}[IndicatorName]

/**
 * A number that changes with each candle.
 *
 * @category models
 * @since 0.1.0
 */
export type Series =
  | { readonly type: "price"; readonly field: PriceField }
  | { readonly type: "constant"; readonly value: Setting }
  | IndicatorNode
  | {
      readonly type: "add" | "sub" | "mul" | "div" | "min" | "max"
      readonly left: Series
      readonly right: Series
    }
  | { readonly type: "abs"; readonly of: Series }
  | { readonly type: "shift"; readonly of: Series; readonly by: Setting }
  | {
      readonly type: "highest" | "lowest" | "mean" | "stdev"
      readonly of: Series
      readonly period: Setting
    }
  | {
      readonly type: "percentile"
      readonly of: Series
      readonly period: Setting
      readonly rank: Setting
    }
  | { readonly type: "timeframe"; readonly timeframe: Timeframe; readonly of: Series }
  | { readonly type: "symbol"; readonly symbol: string; readonly of: Series }

/**
 * A yes-or-no statement about the newest closed candle.
 *
 * @category models
 * @since 0.1.0
 */
export type Rule =
  | {
      readonly type: "above" | "below" | "crosses_above" | "crosses_below"
      readonly left: Series
      readonly right: Series
    }
  | {
      readonly type: "between"
      readonly of: Series
      readonly low: Series
      readonly high: Series
    }
  | { readonly type: "rising" | "falling"; readonly of: Series; readonly for: Setting }
  | { readonly type: "true_for"; readonly rule: Rule; readonly for: Setting }
  | { readonly type: "all" | "any"; readonly rules: ReadonlyArray<Rule> }
  | { readonly type: "not"; readonly rule: Rule }
  | { readonly type: "hours"; readonly from: number; readonly to: number }
  | { readonly type: "weekdays"; readonly days: ReadonlyArray<Weekday> }

export { type Weekday, weekdays }

const SeriesRef = Schema.suspend((): Schema.Codec<Series> => Series)
const RuleRef = Schema.suspend((): Schema.Codec<Rule> => Rule)

const indicatorSchema = (name: IndicatorName) => {
  const row = indicatorCatalogue[name]
  const takesSource = (row.inputs as ReadonlyArray<string>).includes("source")
  const settings = Object.keys(row.settings).map((setting) => [
    setting,
    Schema.optionalKey(Setting)
  ])
  return Schema.Struct({
    type: Schema.Literal(name),
    ...Object.fromEntries(settings),
    output: Schema.optionalKey(Schema.Literals(Object.keys(row.outputs))),
    ...(takesSource ? { source: Schema.optionalKey(SeriesRef) } : {})
  }).annotate({ title: row.title, description: row.reference })
}

const pairOf = (type: string) =>
  Schema.Struct({ type: Schema.Literal(type), left: SeriesRef, right: SeriesRef })

const windowOf = (type: string) =>
  Schema.Struct({ type: Schema.Literal(type), of: SeriesRef, period: Setting })

const trendOf = (type: string) =>
  Schema.Struct({ type: Schema.Literal(type), of: SeriesRef, for: Setting })

const groupOf = (type: string) =>
  Schema.Struct({ type: Schema.Literal(type), rules: Schema.NonEmptyArray(RuleRef) })

/**
 * A number that changes with each candle.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Series = Schema.Union([
  Schema.Struct({ type: Schema.Literal("price"), field: Schema.Literals(priceFields) }),
  Schema.Struct({ type: Schema.Literal("constant"), value: Setting }),
  ...indicatorNames.map(indicatorSchema),
  ...["add", "sub", "mul", "div", "min", "max"].map(pairOf),
  Schema.Struct({ type: Schema.Literal("abs"), of: SeriesRef }),
  Schema.Struct({ type: Schema.Literal("shift"), of: SeriesRef, by: Setting }),
  ...["highest", "lowest", "mean", "stdev"].map(windowOf),
  Schema.Struct({
    type: Schema.Literal("percentile"),
    of: SeriesRef,
    period: Setting,
    rank: Setting
  }),
  Schema.Struct({ type: Schema.Literal("timeframe"), timeframe: Timeframe, of: SeriesRef }),
  Schema.Struct({ type: Schema.Literal("symbol"), symbol: MarketSymbol, of: SeriesRef })
]).annotate({ identifier: "Series" }) as unknown as Schema.Codec<Series>

const Hour = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 24 }))

/**
 * A yes-or-no statement about the newest closed candle.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Rule = Schema.Union([
  ...["above", "below", "crosses_above", "crosses_below"].map(pairOf),
  Schema.Struct({
    type: Schema.Literal("between"),
    of: SeriesRef,
    low: SeriesRef,
    high: SeriesRef
  }),
  ...["rising", "falling"].map(trendOf),
  Schema.Struct({ type: Schema.Literal("true_for"), rule: RuleRef, for: Setting }),
  ...["all", "any"].map(groupOf),
  Schema.Struct({ type: Schema.Literal("not"), rule: RuleRef }),
  Schema.Struct({ type: Schema.Literal("hours"), from: Hour, to: Hour }),
  Schema.Struct({
    type: Schema.Literal("weekdays"),
    days: Schema.NonEmptyArray(Schema.Literals(weekdays))
  })
]).annotate({ identifier: "Rule" }) as unknown as Schema.Codec<Rule>
