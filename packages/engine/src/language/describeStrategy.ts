/**
 * A strategy to a reader: what it trades, when it enters and leaves, and at what size, in plain
 * sentences.
 *
 * @since 0.1.0
 */
import type { ParameterValues, Setting } from "./Parameter.ts"
import type { RiskProfile } from "./RiskProfile.ts"
import type { Distance, StrategyDefinition } from "./StrategyDefinition.ts"
import { describeRule, describeSeries } from "./describeExpression.ts"
import type { SettingText } from "./describeExpression.ts"
import { resolveSetting } from "./resolveSetting.ts"
import { defaultValues } from "./searchSpace.ts"

const numberText = (value: number): string => String(Number(value.toPrecision(10)))

interface Words {
  readonly text: SettingText
  /** A fraction as a percentage. */
  readonly percent: SettingText
  readonly candles: (setting: Setting) => string
}

const wordsWith = (values: ParameterValues): Words => {
  const named = (setting: Setting, value: string): string =>
    typeof setting === "number" ? value : `${value} [${setting.parameter}]`
  const text: SettingText = (setting) => named(setting, numberText(resolveSetting(setting, values)))
  return {
    text,
    percent: (setting) => named(setting, `${numberText(resolveSetting(setting, values) * 100)} %`),
    candles: (setting) => (setting === 1 ? "1 candle" : `${text(setting)} candles`)
  }
}

const distanceText = (distance: Distance, words: Words): string => {
  switch (distance.type) {
    case "fraction":
      return words.percent(distance.value)
    case "atr":
      return `${words.text(distance.multiple)} times the ATR(${words.text(distance.period)})`
    default:
      return describeSeries(distance.series, words.text)
  }
}

/** A distance from the entry, or the level itself. */
const placeText = (distance: Distance, side: string, words: Words): string =>
  distance.type === "level"
    ? `at ${distanceText(distance, words)}`
    : `${distanceText(distance, words)} ${side} the entry price`

const tradesSentence = ({ symbols, timeframe }: StrategyDefinition): string =>
  `Trades ${symbols.join(", ")} on ${timeframe} candles.`

const directionSentences = (definition: StrategyDefinition, words: Words): ReadonlyArray<string> =>
  definition.code === undefined
    ? ruleSentences(definition, words)
    : [`The code "${definition.code}" says when to enter and to leave.`]

const ruleSentences = (definition: StrategyDefinition, words: Words): ReadonlyArray<string> =>
  (["long", "short"] as const).flatMap((direction) => {
    const rules = definition[direction]
    if (rules === undefined) return []
    const enter = `Enters ${direction} when ${describeRule(rules.enter, words.text)}.`
    if (rules.exit === undefined) return [enter]
    return [enter, `Leaves ${direction} when ${describeRule(rules.exit, words.text)}.`]
  })

const entrySentences = (
  { entry, long, short }: StrategyDefinition,
  words: Words
): ReadonlyArray<string> => {
  if (entry === undefined || entry.type === "market") {
    return ["Entries are market orders."]
  }
  const isLimit = entry.type === "limit"
  const sides = [
    ...(long === undefined ? [] : [isLimit ? "below it for a long" : "above it for a long"]),
    ...(short === undefined ? [] : [isLimit ? "above it for a short" : "below it for a short"])
  ]
  const offset = `${words.percent(entry.offset)} from the last close (${sides.join(", ")})`
  const expiry = `and expire after ${words.candles(entry.expires_after)}`
  return [`Entries are ${entry.type} orders ${offset} ${expiry}.`]
}

const exitSentences = ({ exits }: StrategyDefinition, words: Words): ReadonlyArray<string> => {
  if (exits === undefined) return []
  const sentences: Array<string> = []
  if (exits.stop_loss !== undefined) {
    sentences.push(`Stop loss ${placeText(exits.stop_loss, "against", words)}.`)
  }
  if (exits.take_profit !== undefined) {
    sentences.push(`Takes profit ${placeText(exits.take_profit, "beyond", words)}.`)
  }
  const trailing = exits.trailing_stop
  if (trailing !== undefined) {
    const start =
      trailing.activation === undefined
        ? "from the entry on"
        : `once the price is ${placeText(trailing.activation, "beyond", words)}`
    const distance = distanceText(trailing.distance, words)
    sentences.push(`A trailing stop follows the best price by ${distance}, ${start}.`)
  }
  const breakEven = exits.break_even
  if (breakEven !== undefined) {
    const offset =
      breakEven.offset === undefined ? "" : ` plus ${words.percent(breakEven.offset)} of it`
    const start = `once the price is ${placeText(breakEven.activation, "beyond", words)}`
    sentences.push(`The stop moves to the entry price${offset} ${start}.`)
  }
  if (exits.time_limit !== undefined) {
    const candles = words.candles(exits.time_limit)
    sentences.push(
      `Decides to leave at the close ${candles} after the entry candle's, at the latest.`
    )
  }
  return sentences
}

const sizingSentence = ({ sizing }: StrategyDefinition, words: Words): string => {
  if (sizing === undefined) return "Each entry uses all of the equity."
  switch (sizing.type) {
    case "risk_per_trade":
      return `Each entry is sized to lose ${words.percent(sizing.fraction)} of equity at its stop.`
    case "equity_fraction":
      return `Each entry uses ${words.percent(sizing.fraction)} of equity.`
    case "fixed_notional":
      return `Each entry is worth ${words.text(sizing.notional)} in the quote currency.`
    case "fixed_quantity":
      return `Each entry is ${words.text(sizing.quantity)} in the base currency.`
    default: {
      const target = `a volatility of ${words.percent(sizing.target)} a year`
      return `Each entry is sized for ${target}, measured over ${words.candles(sizing.period)}.`
    }
  }
}

const limitSentences = (
  { max_positions: count, reentry }: StrategyDefinition,
  words: Words
): ReadonlyArray<string> => {
  const sentences: Array<string> = []
  if (count !== undefined) {
    sentences.push(`Holds at most ${count} ${count === 1 ? "position" : "positions"} at a time.`)
  }
  if (reentry?.cooldown !== undefined) {
    sentences.push(`Waits ${words.candles(reentry.cooldown)} after an exit before it enters again.`)
  }
  if (reentry?.cooldown_after_stop !== undefined) {
    const wait = words.candles(reentry.cooldown_after_stop)
    sentences.push(`Waits ${wait} after a stop before it enters again.`)
  }
  return sentences
}

/**
 * Tells how a risk profile cuts entries, whatever size the strategy asks for.
 *
 * @category descriptions
 * @since 0.1.0
 */
export const describeCaps = ({
  max_exposure,
  risk_per_trade
}: RiskProfile): ReadonlyArray<string> => {
  const [exposure, risk] = [max_exposure, risk_per_trade].map((rate) => numberText(rate * 100))
  return [
    `An entry is cut where its stop would cost more than ${risk} % of equity.`,
    `An entry is cut where all positions would be worth more than ${exposure} % of equity.`
  ]
}

/**
 * Tells a strategy in plain sentences; a setting that is a parameter is followed by the parameter's
 * name.
 *
 * **Details**
 *
 * Without `values` the sentences use the parameters' defaults.
 *
 * @category descriptions
 * @since 0.1.0
 */
export const describeStrategy = (
  definition: StrategyDefinition,
  values: ParameterValues = defaultValues(definition)
): ReadonlyArray<string> => {
  const words = wordsWith(values)
  return [
    tradesSentence(definition),
    ...directionSentences(definition, words),
    ...entrySentences(definition, words),
    ...exitSentences(definition, words),
    sizingSentence(definition, words),
    ...limitSentences(definition, words)
  ]
}
