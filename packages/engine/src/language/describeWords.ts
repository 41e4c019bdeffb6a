/**
 * The words that sentences about a strategy share: settings, percentages, candles and distances.
 *
 * @since 0.1.0
 */
import type { Distance } from "./Exits.ts"
import type { ParameterValues, Setting } from "./Parameter.ts"
import { describeSeries, type SettingText } from "./describeExpression.ts"
import { resolveSetting } from "./resolveSetting.ts"

/** A number with as many digits as a reader wants. @category descriptions @since 0.1.0 */
export const numberText = (value: number): string => String(Number(value.toPrecision(10)))

/** The words for settings with one parameter set. @category models @since 0.1.0 */
export interface Words {
  readonly text: SettingText
  /** A fraction as a percentage. */
  readonly percent: SettingText
  readonly candles: (setting: Setting) => string
}

/** The words with these values of parameters. @category descriptions @since 0.1.0 */
export const wordsWith = (values: ParameterValues): Words => {
  const told = (setting: Setting, toText: (value: number) => string): string => {
    const value = resolveSetting(setting, values)
    if (typeof setting === "number") return toText(value)
    // A parameter that is not declared has no value to describe.
    const name = `[${setting.parameter}]`
    return Number.isNaN(value) ? name : `${toText(value)} ${name}`
  }
  const text: SettingText = (setting) => told(setting, numberText)
  return {
    text,
    percent: (setting) => told(setting, (value) => `${numberText(value * 100)} %`),
    candles: (setting) => (setting === 1 ? "1 candle" : `${text(setting)} candles`)
  }
}

/** A distance by itself. @category descriptions @since 0.1.0 */
export const distanceText = (distance: Distance, words: Words): string => {
  switch (distance.type) {
    case "fraction":
      return words.percent(distance.value)
    case "atr":
      return `${words.text(distance.multiple)} times the ATR(${words.text(distance.period)})`
    default:
      return describeSeries(distance.series, words.text)
  }
}

/** A distance from a price, or the level itself. @category descriptions @since 0.1.0 */
export const placeText = (
  distance: Distance,
  side: "against" | "beyond",
  words: Words,
  from = "the entry price"
): string =>
  distance.type === "level"
    ? `at ${distanceText(distance, words)}`
    : `${distanceText(distance, words)} ${side} ${from}`

/** A sentence about one side, one lot or the like. @category descriptions @since 0.1.0 */
export const saidOf = (subject: string | null, sentence: string): string =>
  subject === null
    ? sentence
    : `For ${subject}: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`
