/**
 * One line on an order that a bot places, for its log.
 *
 * @since 0.1.0
 */
import type { SignalReason } from "@candlewick/engine"
import type { OrderRequest } from "@candlewick/engine/kernel"
import type { BotSession } from "./botSession.ts"

/** Parts of a strategy that place several orders, each with a number in its id. */
const countedParts: Readonly<Record<string, string>> = {
  safety: "safety order",
  line: "line",
  target: "target",
  reduce: "reduction"
}

/** The part of the strategy that an order belongs to; its leg, where the id names none. */
const partOf = ({ id, leg }: Pick<OrderRequest, "id" | "leg">): string => {
  const [, tag] = /^[^.]+\.([^:]+)/.exec(id) ?? []
  if (tag === undefined) return leg
  const [, counted, number] = /^([a-z]+)(\d+)/.exec(tag) ?? []
  const part = counted === undefined ? undefined : countedParts[counted]
  // Readers count from 1.
  if (part !== undefined) return `${part} ${Number(number) + 1}`
  return leg === "entry" || tag === "weight" ? tag : leg
}

const priceOf = ({ limit, stop }: Pick<OrderRequest, "limit" | "stop">): string => {
  if (stop === null) return limit === null ? "" : ` at ${limit}`
  return limit === null ? ` at ${stop}` : ` at ${stop}, limit ${limit}`
}

/** The order of a strategy, by the id that the strategy gave it. */
export const describeOrder = (order: OrderRequest, symbol: string): string =>
  `${order.type} ${order.side === 1 ? "buy" : "sell"} ${order.quantity} ${symbol}` +
  `${priceOf(order)} (${partOf(order)})`

/**
 * The rule that asks for an order at the candle that was just decided, and the values that it saw.
 */
export const reasonOf = (
  { steps }: Pick<BotSession, "steps">,
  market: number,
  { leg, reason, side }: Pick<OrderRequest, "leg" | "reason" | "side">
): SignalReason | null => {
  if (reason !== "signal") return null
  const isLong = (leg === "entry") === (side === 1)
  const verb = leg === "entry" ? "enter" : "exit"
  return steps[market]?.explain?.(`${verb}${isLong ? "Long" : "Short"}`) ?? null
}

/** The same as the end of a line. */
export const reasonText = (found: SignalReason | null): string => {
  if (found === null) return ""
  const values = Object.entries(found.values).map(([name, value]) => `${name} = ${value ?? "none"}`)
  return values.length === 0 ? `: ${found.rule}` : `: ${found.rule} (${values.join(", ")})`
}

/** The same as fields of a line. */
export const reasonFields = (found: SignalReason | null) =>
  found === null ? {} : { rule: found.rule, values: found.values }
