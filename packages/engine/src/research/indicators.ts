/**
 * Every indicator of the catalogue as a function of arrays, and as a stream of values.
 *
 * Both give the values that rules read, to the bit. A value is NaN until its indicator is warm,
 * and depends on no later candle.
 *
 * **Example** (A column)
 *
 * ```ts
 * import { indicators } from "@candlewick/engine/research"
 *
 * console.log(indicators.sma([1, 2, 3, 4], { period: 2 }))
 * ```
 *
 * ```text output
 * Float64Array(4) [ NaN, 1.5, 2.5, 3.5 ]
 * ```
 *
 * @since 0.1.0
 */
import {
  type IndicatorName,
  indicatorNames,
  indicatorCatalogue as catalogue
} from "../language/Indicator.ts"
import { type Indicator } from "../language/IndicatorRow.ts"
import { invalidInput } from "../language/Fault.ts"
import { refuse } from "../language/Fault.ts"
import { notAmong } from "../language/notAmong.ts"
import type { CandleColumns } from "../kernel/columns.ts"

type Rows = typeof catalogue

/**
 * Settings of an indicator; its defaults hold where nothing is said.
 *
 * @category models
 * @since 0.1.0
 */
export type IndicatorSettings<Name extends IndicatorName> = {
  readonly [Setting in keyof Rows[Name]["settings"]]?: number
}

type OutputName<Name extends IndicatorName> = keyof Rows[Name]["outputs"] & string

/** One column, or one by each output where there are several. @category models @since 0.1.0 */
export type IndicatorColumns<Name extends IndicatorName> = [OutputName<Name>] extends ["value"]
  ? Float64Array
  : { readonly [Output in OutputName<Name>]: Float64Array }

/** One value, or one by each output where there are several. @category models @since 0.1.0 */
export type IndicatorValues<Name extends IndicatorName> = [OutputName<Name>] extends ["value"]
  ? number
  : { readonly [Output in OutputName<Name>]: number }

/** The input of an indicator: a series, or candles. @category models @since 0.1.0 */
export type IndicatorSource<Name extends IndicatorName> = Rows[Name]["inputs"] extends readonly [
  "source"
]
  ? ArrayLike<number> | CandleColumns
  : CandleColumns

/** The next value or candle of a stream. @category models @since 0.1.0 */
export type IndicatorInputs<Name extends IndicatorName> = Rows[Name]["inputs"] extends readonly [
  "source"
]
  ? number
  : { readonly [Input in Exclude<Rows[Name]["inputs"][number], "source">]: number } & {
      readonly close?: number
    }

/** An indicator, value by value. @category models @since 0.1.0 */
export interface IndicatorStream<Name extends IndicatorName> {
  /** Takes the next value or candle; NaN until the indicator is warm. */
  readonly next: (inputs: IndicatorInputs<Name>) => IndicatorValues<Name>
}

type IndicatorFunctions = {
  readonly [Name in IndicatorName]: (
    source: IndicatorSource<Name>,
    settings?: IndicatorSettings<Name>
  ) => IndicatorColumns<Name>
}

const rowOf = (name: IndicatorName): Indicator =>
  Object.hasOwn(catalogue, name)
    ? catalogue[name]
    : refuse("/name", "unknown_indicator", notAmong(`indicator ${name}`, indicatorNames))

const settingsOf = (
  name: IndicatorName,
  given: Readonly<Record<string, number | undefined>>
): ReadonlyArray<number> => {
  const { settings } = rowOf(name)
  if (typeof given !== "object" || given === null) {
    return refuse("", "wrong_type", `The settings of ${name} must be an object`)
  }
  const faults = Object.entries(given).flatMap(([setting, value]) => {
    const bounds = Object.hasOwn(settings, setting) ? settings[setting] : undefined
    const pointer = `/${setting}`
    if (bounds === undefined) {
      const message = notAmong(`setting ${setting} of ${name}`, Object.keys(settings))
      return [{ pointer, code: "unknown_field", message }]
    }
    if (value === undefined) return []
    const isWhole = bounds.kind === "float" ? Number.isFinite(value) : Number.isInteger(value)
    if (isWhole && value >= bounds.min && value <= bounds.max) return []
    const kind = bounds.kind === "integer" ? "a whole number" : "a number"
    const message = `${setting} of ${name} must be ${kind} from ${bounds.min} to ${bounds.max}`
    return [{ pointer, code: "not_allowed", message }]
  })
  if (faults.length > 0) throw invalidInput(faults)
  return Object.entries(settings).map(([setting, bounds]) => given[setting] ?? bounds.default)
}

const isColumns = (source: unknown): source is CandleColumns =>
  typeof source === "object" && source !== null && "close" in source

const isSeries = (source: unknown): source is ArrayLike<number> =>
  typeof source === "object" &&
  source !== null &&
  "length" in source &&
  typeof source.length === "number"

/** A series as numbers; NaN stands where an earlier one was not warm. */
const toSeries = (name: IndicatorName, source: unknown): Float64Array => {
  if (source instanceof Float64Array) return source
  if (!isSeries(source)) {
    return refuse("/source", "wrong_type", `${name} needs an array of numbers, or candles`)
  }
  const wrong = Array.from(source).findIndex((value) => typeof value !== "number")
  if (wrong < 0) return Float64Array.from(source)
  return refuse(`/source/${wrong}`, "wrong_type", `Value ${wrong} of the series is no number`)
}

const inputsOf = (name: IndicatorName, source: unknown): ReadonlyArray<Float64Array> => {
  const inputs = rowOf(name).inputs.map((input) => {
    if (!isColumns(source)) {
      if (input === "source") return toSeries(name, source)
      return refuse("/source", "wrong_type", `${name} needs candles`)
    }
    const field = input === "source" ? "close" : input
    const column: unknown = source[field]
    if (column instanceof Float64Array) return column
    const message = `${field} must be a Float64Array; candles(rows) makes them`
    return refuse(`/source/${field}`, "wrong_type", message)
  })
  if (inputs.every(({ length }) => length === inputs[0]!.length)) return inputs
  return refuse("/source", "wrong_length", "The columns of candles must have one length")
}

/** The outputs by name, or the only one where it is called `value`. */
const named = <A>(name: IndicatorName, outputs: ReadonlyArray<A>): unknown => {
  const names = Object.keys(rowOf(name).outputs)
  return names.length === 1 && names[0] === "value"
    ? outputs[0]
    : Object.fromEntries(names.map((output, index) => [output, outputs[index]] as const))
}

/**
 * The indicators by name: `indicators.sma(close, { period: 20 })`.
 *
 * **Details**
 *
 * Values are NaN until an indicator is warm. One that needs more than a series takes candles; one
 * that takes a series may be given candles as well and reads their closes. A setting that is out of
 * bounds throws a `InvalidInput`.
 *
 * @category indicators
 * @since 0.1.0
 */
export const indicators = Object.fromEntries(
  (Object.keys(catalogue) as ReadonlyArray<IndicatorName>).map((name) => [
    name,
    (source: unknown, settings: Readonly<Record<string, number | undefined>> = {}) =>
      named(name, rowOf(name).column(inputsOf(name, source), settingsOf(name, settings)))
  ])
) as unknown as IndicatorFunctions

/** The input of a stream, from a value or a candle; NaN is a value that is not known yet. */
const inputOf = (name: IndicatorName, input: string, given: unknown): number => {
  if (typeof given === "number") {
    if (input === "source") return given
    return refuse("", "wrong_type", `${name} needs candles, not numbers`)
  }
  if (typeof given !== "object" || given === null) {
    return refuse("", "wrong_type", `${name} needs a ${input === "source" ? "number" : "candle"}`)
  }
  const field = input === "source" ? "close" : input
  const value = (given as Readonly<Record<string, unknown>>)[field]
  if (typeof value === "number") return value
  return refuse(`/${field}`, "wrong_type", `${name} needs candles with a number as ${field}`)
}

/**
 * An indicator that takes its values one by one: `stream("rsi", { period: 14 }).next(close)`.
 *
 * **Details**
 *
 * It gives the same numbers as the column, to the bit. An indicator that there is none of, and a
 * number where a candle is needed, throw a `InvalidInput`.
 *
 * @category indicators
 * @since 0.1.0
 */
export const stream = <Name extends IndicatorName>(
  name: Name,
  settings: IndicatorSettings<Name> = {}
): IndicatorStream<Name> => {
  const row = rowOf(name)
  const step = row.step(settingsOf(name, settings))
  const outputs = new Float64Array(Object.keys(row.outputs).length)
  const next = new Float64Array(row.inputs.length)
  return {
    next: (inputs) => {
      row.inputs.forEach((input, index) => {
        next[index] = inputOf(name, input, inputs)
      })
      step(next, outputs)
      return named(name, Array.from(outputs)) as IndicatorValues<Name>
    }
  }
}
