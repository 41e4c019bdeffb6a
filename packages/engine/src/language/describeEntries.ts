/**
 * Entry orders and sizes in plain sentences.
 *
 * @since 0.1.0
 */
import type { EntryOrder, RestingEntry } from "./EntryOrder.ts"
import type { AdditionSizing } from "./Sizing.ts"
import { describeSeries } from "./describeExpression.ts"
import type { Words } from "./describeWords.ts"

/** The sides that an order may have. @category models @since 0.1.0 */
export type OrderDirections = ReadonlyArray<"long" | "short">

const typeNames = { limit: "limit", stop: "stop", stop_limit: "stop-limit" } as const

const priceText = (order: RestingEntry, directions: OrderDirections, words: Words): string => {
  if (order.level !== undefined) return `at ${describeSeries(order.level, words.text)}`
  const isLimit = order.type === "limit"
  const sides = directions.map((direction) =>
    isLimit === (direction === "long")
      ? `below it for a ${direction}`
      : `above it for a ${direction}`
  )
  return `${words.percent(order.offset ?? 0)} from the last close (${sides.join(", ")})`
}

const lifeText = (order: RestingEntry, isOne: boolean, words: Words): string => {
  const s = isOne ? "s" : ""
  if (order.expires_after !== undefined) {
    return `and expire${s} after ${words.candles(order.expires_after)}`
  }
  if (order.until !== undefined) return `and expire${s} at ${order.until}`
  if (order.type === "limit" && order.immediate === true) {
    return `and fill${s} at the next open or end${s} there`
  }
  return isOne ? "and rests until it is cancelled" : "and rest until they are cancelled"
}

const restingText = (
  order: RestingEntry,
  directions: OrderDirections,
  isOne: boolean,
  words: Words
): string => {
  const noun = `${isOne ? "a " : ""}${typeNames[order.type]} order${isOne ? "" : "s"}`
  const limit =
    order.type === "stop_limit"
      ? `, with the limit ${words.percent(order.limit_offset)} beyond the stop,`
      : ""
  return `${noun} ${priceText(order, directions, words)}${limit} ${lifeText(order, isOne, words)}`
}

const groupText = (
  orders: ReadonlyArray<RestingEntry>,
  directions: OrderDirections,
  words: Words
): string => orders.map((order) => restingText(order, directions, true, words)).join("; ")

/** The order of entries, in one sentence. @category descriptions @since 0.1.0 */
export const entrySentence = (
  entry: EntryOrder | undefined,
  directions: OrderDirections,
  words: Words
): string => {
  if (entry === undefined || entry.type === "market") return "Entries are market orders."
  if (entry.type !== "one_cancels_other") {
    return `Entries are ${restingText(entry, directions, false, words)}.`
  }
  const orders = groupText(entry.orders, directions, words)
  return `An entry is a group of orders of which the first that fills cancels the others: ${orders}.`
}

/** One order as a noun phrase. @category descriptions @since 0.1.0 */
export const orderText = (entry: EntryOrder, directions: OrderDirections, words: Words): string => {
  if (entry.type === "market") return "a market order"
  if (entry.type !== "one_cancels_other") return restingText(entry, directions, true, words)
  const orders = groupText(entry.orders, directions, words)
  return `a group of orders of which the first that fills cancels the others: ${orders}`
}

/** The size of a thing, in one sentence about it. @category descriptions @since 0.1.0 */
export const sizingSentence = (
  subject: string,
  sizing: AdditionSizing | undefined,
  words: Words
): string => {
  if (sizing === undefined) return `${subject} uses all of the equity.`
  switch (sizing.type) {
    case "risk_per_trade":
      return `${subject} is sized to lose ${words.percent(sizing.fraction)} of equity at its stop.`
    case "equity_fraction":
      return `${subject} uses ${words.percent(sizing.fraction)} of equity.`
    case "fixed_notional":
      return `${subject} is worth ${words.text(sizing.notional)} in the quote currency.`
    case "fixed_quantity":
      return `${subject} is ${words.text(sizing.quantity)} in the base currency.`
    case "scaled": {
      const of = `the notional of the ${sizing.of} entry of the position`
      return `${subject} is worth ${words.text(sizing.factor)} times ${of}.`
    }
    default: {
      const target = `a volatility of ${words.percent(sizing.target)} a year`
      return `${subject} is sized for ${target}, measured over ${words.candles(sizing.period)}.`
    }
  }
}
