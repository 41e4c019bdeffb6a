/**
 * Series written in TypeScript: each function gives the plain node that JSON would hold.
 *
 * The type of a series carries its unit, so that comparing an RSI with a price does not compile.
 *
 * @since 0.1.0
 */
import type { indicatorCatalogue } from "./Indicator.ts"
import type { IndicatorName } from "./Indicator.ts"
import type { Unit } from "./IndicatorRow.ts"
import type { Setting } from "./Parameter.ts"
import type { PriceField, Series } from "./Rule.ts"
import type { Timeframe } from "./Timeframe.ts"
import type { WholeSetting } from "./TypedSetting.ts"

declare const unit: unique symbol

/**
 * A series whose unit the compiler knows; at run time it is the plain node.
 *
 * @category models
 * @since 0.1.0
 */
export type SeriesIn<U extends Unit = Unit> = Series & { readonly [unit]?: U }

/**
 * The series that one in `U` may be compared with: of its own unit, or a plain number.
 *
 * @category models
 * @since 0.1.0
 */
export type ComparableWith<U extends Unit> = number | SeriesIn<U | "number">

type DifferenceOf<U extends Unit> = U extends "price" ? "price_difference" : U

type PriceLike = "price" | "price_difference"

type SubtractionOf<L extends Unit, R extends Unit> = R extends "number" | "price_difference"
  ? L
  : DifferenceOf<L>

type ProductOf<L extends Unit, R extends Unit> = L extends "number" | "ratio"
  ? R extends "number"
    ? L
    : R
  : R extends "number" | "ratio"
    ? L
    : "notional"

type QuotientOf<L extends Unit, R extends Unit> = R extends "number" | "ratio"
  ? L
  : L extends "number"
    ? "number"
    : L extends "notional"
      ? R extends "volume"
        ? "price"
        : "volume"
      : "ratio"

type Divisor<L extends Unit> = L extends PriceLike
  ? PriceLike | "number" | "ratio"
  : L extends "notional"
    ? Unit
    : L | "number" | "ratio"

type Factor<L extends Unit> = L extends "number" | "ratio"
  ? Unit
  : L extends PriceLike
    ? "number" | "ratio" | "volume"
    : L extends "volume"
      ? "number" | "ratio" | PriceLike
      : "number" | "ratio"

type Term<L extends Unit> = L extends "price" ? PriceLike | "number" : L | "number"

/** A series that is always the same number. @category series @since 0.1.0 */
export const constant = (value: Setting): SeriesIn<"number"> => ({ type: "constant", value })

/** The series that a number or a series stands for. @category series @since 0.1.0 */
export const toSeries = (value: number | Series): Series =>
  typeof value === "number" ? constant(value) : value

const priceOf = <U extends "price" | "volume">(field: PriceField): SeriesIn<U> => ({
  type: "price",
  field
})

/** The prices and the volume of the candle. @category series @since 0.1.0 */
export const price = {
  open: priceOf<"price">("open"),
  high: priceOf<"price">("high"),
  low: priceOf<"price">("low"),
  close: priceOf<"price">("close"),
  volume: priceOf<"volume">("volume"),
  hl2: priceOf<"price">("hl2"),
  hlc3: priceOf<"price">("hlc3"),
  ohlc4: priceOf<"price">("ohlc4")
} as const

type Outputs<Name extends IndicatorName> = (typeof indicatorCatalogue)[Name]["outputs"]

type Measure<Output, Source extends Unit> = Output extends "source"
  ? Source
  : Output extends "source_difference"
    ? DifferenceOf<Source>
    : Extract<Output, Unit>

type FirstOutput<Name extends IndicatorName> = (typeof indicatorCatalogue)[Name] extends {
  readonly outputs: infer All
}
  ? "value" extends keyof All
    ? "value"
    : keyof All
  : never

type SettingOf<Row> = Row extends { readonly kind: "float" } ? Setting : WholeSetting

/**
 * The settings of an indicator, all of them optional, with its source.
 *
 * @category models
 * @since 0.1.0
 */
export type IndicatorChoices<Name extends IndicatorName, Source extends Unit> = {
  readonly [S in keyof (typeof indicatorCatalogue)[Name]["settings"]]?: SettingOf<
    (typeof indicatorCatalogue)[Name]["settings"][S]
  >
} & ("source" extends (typeof indicatorCatalogue)[Name]["inputs"][number]
  ? { readonly source?: SeriesIn<Source> }
  : unknown)

/**
 * Any indicator of the catalogue by name, with its settings and, where it has several, the output
 * that is meant.
 *
 * @category series
 * @since 0.1.0
 */
export const indicator = <
  Name extends IndicatorName,
  Source extends Unit = "price",
  const Output extends keyof Outputs<Name> = FirstOutput<Name> & keyof Outputs<Name>
>(
  name: Name,
  choices: IndicatorChoices<Name, Source> & { readonly output?: Output } = {}
): SeriesIn<Measure<Outputs<Name>[Output], Source>> =>
  ({ type: name, ...choices }) as unknown as SeriesIn<Measure<Outputs<Name>[Output], Source>>

/** Simple moving average, of the close unless a source is given. @category series @since 0.1.0 */
export const sma = <U extends Unit = "price">(
  period: WholeSetting,
  source?: SeriesIn<U>
): SeriesIn<U> => (source === undefined ? { type: "sma", period } : { type: "sma", period, source })

/**
 * Exponential moving average, of the close unless a source is given.
 *
 * @category series
 * @since 0.1.0
 */
export const ema = <U extends Unit = "price">(
  period: WholeSetting,
  source?: SeriesIn<U>
): SeriesIn<U> => (source === undefined ? { type: "ema", period } : { type: "ema", period, source })

/** Relative strength index, of the close unless a source is given. @category series @since 0.1.0 */
export const rsi = (period: WholeSetting, source?: Series): SeriesIn<"percent"> =>
  source === undefined ? { type: "rsi", period } : { type: "rsi", period, source }

/** Average true range. @category series @since 0.1.0 */
export const atr = (period: WholeSetting): SeriesIn<"price_difference"> => ({ type: "atr", period })

/** Sum of two series. @category series @since 0.1.0 */
export const add = <L extends Unit>(
  left: SeriesIn<L>,
  right: number | SeriesIn<Term<NoInfer<L>>>
): SeriesIn<L> => ({ type: "add", left, right: toSeries(right) })

/** Difference of two series. @category series @since 0.1.0 */
export const sub = <L extends Unit, R extends Unit = "number">(
  left: SeriesIn<L>,
  right: number | SeriesIn<R & Term<NoInfer<L>>>
): SeriesIn<SubtractionOf<L, R>> => ({ type: "sub", left, right: toSeries(right) })

/** Product of two series. @category series @since 0.1.0 */
export const mul = <L extends Unit, R extends Unit = "number">(
  left: SeriesIn<L>,
  right: number | SeriesIn<R & Factor<NoInfer<L>>>
): SeriesIn<ProductOf<L, R>> => ({ type: "mul", left, right: toSeries(right) })

/** Quotient of two series; undefined where the right one is zero. @category series @since 0.1.0 */
export const div = <L extends Unit, R extends Unit = "number">(
  left: SeriesIn<L>,
  right: number | SeriesIn<R & Divisor<NoInfer<L>>>
): SeriesIn<QuotientOf<L, R>> => ({ type: "div", left, right: toSeries(right) })

/** The smaller of two series. @category series @since 0.1.0 */
export const min = <U extends Unit>(
  left: SeriesIn<U>,
  right: ComparableWith<NoInfer<U>>
): SeriesIn<U> => ({ type: "min", left, right: toSeries(right) })

/** The larger of two series. @category series @since 0.1.0 */
export const max = <U extends Unit>(
  left: SeriesIn<U>,
  right: ComparableWith<NoInfer<U>>
): SeriesIn<U> => ({ type: "max", left, right: toSeries(right) })

/** A series without its sign. @category series @since 0.1.0 */
export const abs = <U extends Unit>(of: SeriesIn<U>): SeriesIn<U> => ({ type: "abs", of })

/** A series as it was so many candles ago. @category series @since 0.1.0 */
export const shift = <U extends Unit>(of: SeriesIn<U>, by: WholeSetting): SeriesIn<U> => ({
  type: "shift",
  of,
  by
})

/** The highest of the last values, the newest included. @category series @since 0.1.0 */
export const highest = <U extends Unit>(of: SeriesIn<U>, period: WholeSetting): SeriesIn<U> => ({
  type: "highest",
  of,
  period
})

/** The lowest of the last values, the newest included. @category series @since 0.1.0 */
export const lowest = <U extends Unit>(of: SeriesIn<U>, period: WholeSetting): SeriesIn<U> => ({
  type: "lowest",
  of,
  period
})

/** The mean of the last values. @category series @since 0.1.0 */
export const mean = <U extends Unit>(of: SeriesIn<U>, period: WholeSetting): SeriesIn<U> => ({
  type: "mean",
  of,
  period
})

/** The standard deviation of the last values. @category series @since 0.1.0 */
export const stdev = <U extends Unit>(
  of: SeriesIn<U>,
  period: WholeSetting
): SeriesIn<DifferenceOf<U>> => ({ type: "stdev", of, period })

/** The value below which a fraction of the last values lies. @category series @since 0.1.0 */
export const percentile = <U extends Unit>(
  of: SeriesIn<U>,
  period: WholeSetting,
  rank: Setting
): SeriesIn<U> => ({ type: "percentile", of, period, rank })

/**
 * A series of a higher timeframe, seen only once its candle has closed.
 *
 * @category series
 * @since 0.1.0
 */
export const onTimeframe = <U extends Unit>(
  timeframe: Timeframe,
  of: SeriesIn<U>
): SeriesIn<U> => ({ type: "timeframe", timeframe, of })

/**
 * A series of another market, which must be among the symbols of the strategy: its value at the
 * last candle that had closed.
 *
 * @category series
 * @since 0.1.0
 */
export const ofSymbol = <U extends Unit>(symbol: string, of: SeriesIn<U>): SeriesIn<U> => ({
  type: "symbol",
  symbol,
  of
})
