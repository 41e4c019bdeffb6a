/**
 * Everything that is announced to the outside.
 *
 * The body is serialised once, when the event is made; every delivery sends and signs those bytes.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { AccountId, EventId, Timestamp } from "./Identifier.ts"
import { Limits } from "./Limits.ts"

/** The five events, with what each means. @category tables @since 0.1.0 */
export const eventNames = [
  "strategy.generated",
  "strategy.optimized",
  "backtest.complete",
  "trade.executed",
  "alert.triggered"
] as const

/** The name of an event. @category schemas @since 0.1.0 */
export const EventName = Schema.Literals(eventNames)

/** The name of an event. @category models @since 0.1.0 */
export type EventName = typeof EventName.Type

/** Something that happened and is announced. @category schemas @since 0.1.0 */
export const DomainEvent = Schema.Struct({
  id: EventId,
  account_id: AccountId,
  event: EventName,
  timestamp: Timestamp,
  /** The envelope `{event, timestamp, data}` as JSON text. */
  body: Schema.String
})

/** Something that happened and is announced. @category models @since 0.1.0 */
export type DomainEvent = typeof DomainEvent.Type

const encoder = new TextEncoder()

/** Where what an event tells of can be read in full. */
const hrefOf = (event: EventName, ids: Readonly<Record<string, unknown>>): string =>
  ({
    "strategy.generated": `/api/v1/mix/strategies/${String(ids["strategy_id"])}`,
    "strategy.optimized": `/api/v1/mix/optimize/${String(ids["optimization_id"])}/results`,
    "backtest.complete": `/api/v1/mix/backtest/${String(ids["backtest_id"])}`,
    "trade.executed": `/api/v1/bots/${String(ids["bot_id"])}/trades`,
    "alert.triggered": `/api/v1/alerts/${String(ids["alert_id"])}`
  })[event]

const idLength = 64

const idsOf = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) =>
        name.endsWith("_id") && typeof value === "string" && value.length <= idLength
    )
  )

/**
 * Makes an event and freezes its body.
 *
 * **Details**
 *
 * Where the body would be larger than receivers must take, its `data` is the ids, `truncated: true`
 * and `href`, where the whole can be read: nothing is ever dropped in silence.
 *
 * @category models
 * @since 0.1.0
 */
export const makeEvent = (
  event: Omit<DomainEvent, "body">,
  fields: Readonly<Record<string, unknown>>
): DomainEvent => {
  const bodyOf = (data: Readonly<Record<string, unknown>>) =>
    JSON.stringify({ event: event.event, timestamp: event.timestamp, data }).toWellFormed()
  const body = bodyOf(fields)
  // A character takes three bytes at most, so that few bodies need to be encoded to be measured.
  const isSmall =
    body.length * 3 <= Limits.payloadMaxBytes ||
    encoder.encode(body).length <= Limits.payloadMaxBytes
  if (isSmall) return { ...event, body }
  const ids = idsOf(fields)
  return { ...event, body: bodyOf({ ...ids, truncated: true, href: hrefOf(event.event, ids) }) }
}
