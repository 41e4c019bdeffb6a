/**
 * Series and rules in plain English, one phrase for every kind of node.
 *
 * @since 0.1.0
 */
import { indicatorCatalogue } from "./Indicator.ts"
import type { IndicatorName } from "./Indicator.ts"
import type { Indicator } from "./IndicatorRow.ts"
import type { Setting } from "./Parameter.ts"
import type { PriceField, Rule, Series } from "./Rule.ts"
import { isIndicator } from "./checkExpression.ts"

/**
 * The text of a setting: its number, or the parameter's name with its value.
 *
 * @category models
 * @since 0.1.0
 */
export type SettingText = (setting: Setting) => string

const fieldTexts: Readonly<Record<PriceField, string>> = {
  open: "the open",
  high: "the high",
  low: "the low",
  close: "the close",
  volume: "the volume",
  hl2: "the middle of high and low",
  hlc3: "the typical price",
  ohlc4: "the average price"
}

const indicatorText = (
  series: Extract<Series, { readonly type: IndicatorName }>,
  text: SettingText
): string => {
  const row: Indicator = indicatorCatalogue[series.type]
  const given = series as unknown as Readonly<Record<string, Setting | undefined>>
  const settings = Object.entries(row.settings).map(([name, bounds]) =>
    text(given[name] ?? bounds.default)
  )
  const call = settings.length === 0 ? row.label : `${row.label}(${settings.join(", ")})`
  const outputs = Object.keys(row.outputs)
  const output =
    outputs.length === 1 ? "" : `${(series.output ?? outputs[0]!).replaceAll("_", " ")} of `
  const source = series.source === undefined ? "" : ` of ${describeSeries(series.source, text)}`
  return `the ${output}${output === "" ? "" : "the "}${call}${source}`
}

const countText = (setting: Setting, text: SettingText): string =>
  setting === 1 ? "1 candle" : `${text(setting)} candles`

/**
 * A series as a noun phrase.
 *
 * @category descriptions
 * @since 0.1.0
 */
export const describeSeries = (series: Series, text: SettingText): string => {
  if (isIndicator(series)) return indicatorText(series, text)
  const inner = (part: Series): string => describeSeries(part, text)
  switch (series.type) {
    case "price":
      return fieldTexts[series.field]
    case "constant":
      return text(series.value)
    case "add":
      return `(${inner(series.left)} plus ${inner(series.right)})`
    case "sub":
      return `(${inner(series.left)} minus ${inner(series.right)})`
    case "mul":
      return `(${inner(series.left)} times ${inner(series.right)})`
    case "div":
      return `(${inner(series.left)} divided by ${inner(series.right)})`
    case "min":
      return `the smaller of ${inner(series.left)} and ${inner(series.right)}`
    case "max":
      return `the larger of ${inner(series.left)} and ${inner(series.right)}`
    case "abs":
      return `the size of ${inner(series.of)}`
    case "shift":
      return `${operandText(series.of, text)} ${countText(series.by, text)} ago`
    case "highest":
    case "lowest":
    case "mean":
      return `the ${series.type} of ${inner(series.of)} over ${countText(series.period, text)}`
    case "stdev":
      return `the standard deviation of ${inner(series.of)} over ${countText(series.period, text)}`
    case "percentile": {
      const over = `over ${countText(series.period, text)}`
      return `the quantile ${text(series.rank)} of ${inner(series.of)} ${over}`
    }
    case "timeframe":
      return `${operandText(series.of, text)} on closed ${series.timeframe} candles`
    default:
      return `${operandText(series.of, text)} of ${series.symbol}`
  }
}

/**
 * A series to which something is added. An expression that ends with a series of its own is in
 * brackets.
 */
const operandText = (series: Series, text: SettingText): string => {
  const phrase = describeSeries(series, text)
  const isOpen = isIndicator(series)
    ? series.source !== undefined
    : series.type === "min" || series.type === "max" || series.type === "abs"
  return isOpen ? `(${phrase})` : phrase
}

const hourText = (hour: number): string => `${String(hour).padStart(2, "0")}:00`

const listText = (parts: ReadonlyArray<string>, word: "and" | "or"): string =>
  parts.length < 2
    ? parts.join("")
    : `${parts.slice(0, -1).join(", ")} ${word} ${parts[parts.length - 1]}`

/** A group of one is the rule in it. */
const bareRule = (rule: Rule): Rule =>
  (rule.type === "all" || rule.type === "any") && rule.rules.length === 1
    ? bareRule(rule.rules[0]!)
    : rule

/** A rule inside another one. A rule that goes on to the end of the clause is in brackets. */
const partText = (
  rule: Rule,
  text: SettingText,
  bracketed: ReadonlyArray<Rule["type"]>
): string => {
  const bare = bareRule(rule)
  const phrase = describeRule(bare, text)
  return bracketed.includes(bare.type) ? `(${phrase})` : phrase
}

const groups = ["all", "any"] as const

const groupText = (
  { rules, type }: Extract<Rule, { readonly type: "all" | "any" }>,
  text: SettingText
): string => {
  const bracketed = rules.length === 1 ? [] : ([...groups, "not", "true_for"] as const)
  const parts = rules.map((part) => partText(part, text, bracketed))
  return parts.join(type === "all" ? " and " : " or ")
}

const capitalized = (day: string): string => day.charAt(0).toUpperCase() + day.slice(1)

/**
 * A rule as a clause.
 *
 * @category descriptions
 * @since 0.1.0
 */
export const describeRule = (rule: Rule, text: SettingText): string => {
  const inner = (part: Series): string => describeSeries(part, text)
  switch (rule.type) {
    case "above":
    case "below":
      return `${inner(rule.left)} is ${rule.type} ${inner(rule.right)}`
    case "crosses_above":
    case "crosses_below":
      return `${inner(rule.left)} ${rule.type.replace("_", " ")} ${inner(rule.right)}`
    case "between":
      return `${inner(rule.of)} is from ${inner(rule.low)} to ${inner(rule.high)}`
    case "rising":
    case "falling": {
      const verb = rule.type === "rising" ? "has risen" : "has fallen"
      return `${inner(rule.of)} ${verb} for ${countText(rule.for, text)}`
    }
    case "true_for":
      return `for ${countText(rule.for, text)} ${partText(rule.rule, text, groups)}`
    case "all":
    case "any":
      return groupText(rule, text)
    case "not":
      return `it is not so that ${partText(rule.rule, text, groups)}`
    case "hours":
      return `the candle opens from ${hourText(rule.from)} to before ${hourText(rule.to)} UTC`
    default:
      return `the candle opens on ${listText(rule.days.map(capitalized), "or")} UTC`
  }
}
