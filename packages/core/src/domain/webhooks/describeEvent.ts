/**
 * An event as sentences for people, as chats show it.
 *
 * Further versions may leave out or add figures, so each of them may be missing.
 *
 * @since 0.1.0
 */
import type { EventName } from "../DomainEvent.ts"

/** The name of an event's subject; null where the subject has none any more. @category models */
export interface EventNames {
  readonly bot: { readonly name: string; readonly mode: "paper" | "live" } | null
  readonly strategy: { readonly name: string } | null
}

/** An event whose bot and strategy have no name. @category models @since 0.1.0 */
export const namelessEvent: EventNames = { bot: null, strategy: null }

type Fields = Readonly<Record<string, unknown>>

// Line ends and other characters that no name should bring into a message of one's own.
// oxlint-disable-next-line no-control-regex -- these characters are looked for
const controls = /[\u0000-\u001f\u007f\u2028\u2029]+/g

const onOneLine = (text: string): string => text.replace(controls, " ").trim()

const textOf = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? onOneLine(value) : null

const numberOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null

const fieldsOf = (value: unknown): Fields | null =>
  // A record of JSON: a list has no names that a sentence could use.
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null

const written = (value: number): string =>
  value.toLocaleString("en-US", { maximumSignificantDigits: 8 })

const asPercent = (value: number): string =>
  `${(value * 100).toLocaleString("en-US", { maximumFractionDigits: 2 })} %`

const join = (parts: ReadonlyArray<string | null>, between: string): string =>
  parts.filter((part) => part !== null).join(between)

const quoted = (name: string): string => `"${onOneLine(name)}"`

const botOf = (data: Fields, { bot }: EventNames): string => {
  if (bot !== null) return `Bot ${quoted(bot.name)} (${bot.mode})`
  const id = textOf(data["bot_id"])
  return id === null ? "A bot" : `Bot ${id}`
}

const strategyOf = (data: Fields, { strategy }: EventNames): string => {
  const name = strategy?.name ?? textOf(data["name"])
  if (name !== null) return `strategy ${quoted(name)}`
  const id = textOf(data["strategy_id"])
  return id === null ? "a strategy" : `strategy ${id}`
}

/** The figures of a result that people ask for first. */
const shownMetrics = [
  ["total_return", "total return", asPercent],
  ["max_drawdown", "largest drawdown", asPercent],
  ["sharpe", "Sharpe ratio", written],
  ["trades", "trades", written],
  ["win_rate", "win rate", asPercent]
] as const

const figuresOf = (value: unknown): string | null => {
  const metrics = fieldsOf(value)
  if (metrics === null) return null
  const figures = shownMetrics.map(([key, name, write]) => {
    const figure = numberOf(metrics[key])
    return figure === null ? null : `${name} ${write(figure)}`
  })
  const all = join(figures, ", ")
  return all === "" ? null : all
}

const effects: Readonly<Record<string, string>> = {
  open: "opened a position",
  increase: "added to its position",
  reduce: "reduced its position",
  close: "closed its position"
}

const describeTrade = (data: Fields, names: EventNames): ReadonlyArray<string | null> => {
  const symbol = textOf(data["symbol"]) ?? "its market"
  const currency = textOf(data["fee_currency"]) ?? symbol.split("/")[1] ?? ""
  const amount = numberOf(data["amount"])
  const price = numberOf(data["price"])
  const pnl = numberOf(data["realized_pnl"])
  const fee = numberOf(data["fee"])
  const effect = effects[String(data["position_effect"])]
  const done = join(
    [
      botOf(data, names),
      data["side"] === "sell" ? "sold" : "bought",
      amount === null ? null : written(amount),
      symbol,
      price === null ? null : `at ${written(price)} ${currency}`.trim(),
      effect === undefined ? null : `and ${effect}`
    ],
    " "
  )
  const at = textOf(data["executed_at"])
  return [
    `${done}.`,
    pnl === null ? null : `The result is ${pnl > 0 ? "+" : ""}${written(pnl)} ${currency}.`,
    fee === null ? null : `The fee is ${written(fee)} ${currency}.`,
    at === null ? null : `The trade is of ${at}.`
  ]
}

const describeAlert = (data: Fields, names: EventNames): ReadonlyArray<string | null> => {
  const message = textOf(data["message"]) ?? `${textOf(data["alert_id"]) ?? "An alert"} fired`
  const value = numberOf(data["value"])
  const threshold = numberOf(data["threshold"])
  return [
    `Alert: ${message.replace(/\.$/, "")}.`,
    data["bot_id"] === null || data["bot_id"] === undefined
      ? null
      : `The alert is of ${botOf(data, names).replace(/^Bot/, "bot")}.`,
    value === null || threshold === null
      ? null
      : `The value is ${written(value)}, the threshold ${written(threshold)}.`
  ]
}

const describeBacktest = (data: Fields, names: EventNames): ReadonlyArray<string | null> => {
  const subject = `The backtest of ${strategyOf(data, names)}`
  const figures = figuresOf(data["metrics"])
  const reason = textOf(fieldsOf(data["error"])?.["message"])
  return [
    data["status"] === "failed" ? `${subject} failed.` : `${subject} is complete.`,
    figures === null ? null : `Its figures: ${figures}.`,
    reason === null ? null : `The reason: ${reason.replace(/\.$/, "")}.`,
    join(["Its id is", textOf(data["backtest_id"]) ?? "not known"], " ") + "."
  ]
}

const parametersOf = (value: unknown): string | null => {
  const entries = Object.entries(fieldsOf(value) ?? {}).map(([name, one]) =>
    typeof one === "number" ? `${onOneLine(name)} ${written(one)}` : null
  )
  const all = join(entries, ", ")
  return all === "" ? null : all
}

const describeSearch = (data: Fields, names: EventNames): ReadonlyArray<string | null> => {
  const objective = textOf(data["objective"])
  const best = parametersOf(data["best_parameters"])
  const inSample = figuresOf(data["in_sample"])
  const outOfSample = figuresOf(data["out_of_sample"])
  const towards = objective === null ? "" : ` for ${objective}`
  return [
    `The optimization of ${strategyOf(data, names)}${towards} is complete.`,
    best === null ? null : `The best parameters: ${best}.`,
    inSample === null ? null : `In sample: ${inSample}.`,
    outOfSample === null ? null : `Out of sample: ${outOfSample}.`
  ]
}

const describeStrategy = (data: Fields, names: EventNames): ReadonlyArray<string | null> => {
  const symbols = Array.isArray(data["symbols"]) ? data["symbols"].map(textOf) : []
  const verdict = textOf(data["verdict"])
  const objective = textOf(data["objective"])
  const markets = join(symbols, ", ")
  const on = markets === "" ? "" : ` on ${markets}`
  const timeframe = textOf(data["timeframe"])
  return [
    `A new strategy is ready: ${strategyOf(data, names)}${on}${timeframe === null ? "" : ` (${timeframe})`}.`,
    objective === null ? null : `The objective: ${objective}.`,
    verdict === null ? null : `The verdict: ${verdict.replaceAll("_", " ")}.`,
    data["synthetic"] === true ? "The verdict is on synthetic candles." : null
  ]
}

const describers: Record<
  EventName,
  (data: Fields, names: EventNames) => ReadonlyArray<string | null>
> = {
  "strategy.generated": describeStrategy,
  "strategy.optimized": describeSearch,
  "backtest.complete": describeBacktest,
  "trade.executed": describeTrade,
  "alert.triggered": describeAlert
}

/**
 * An event as plain sentences, with its bot, its market and its figures.
 *
 * @category decisions
 * @since 0.1.0
 */
export const describeEvent = (event: EventName, data: Fields, names: EventNames): string => {
  if (data["truncated"] === true) {
    const href = textOf(data["href"])
    const where = href === null ? "" : ` All of it is at ${href}.`
    return `The event ${event} is too long for a message.${where}`
  }
  const sentences = join(describers[event](data, names), " ")
  return data["test"] === true ? `This is a sample. ${sentences}` : sentences
}
