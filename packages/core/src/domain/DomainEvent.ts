/**
 * The events that Candlewick publishes to webhooks.
 *
 * The body is serialised once, when the event is made; every delivery sends and signs those bytes.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { AccountId, EventId } from "./Identifier.ts"
import { Timestamp } from "@candlewick/engine"
import { Limits } from "./Limits.ts"

/** The names of the five events. @category tables @since 0.1.0 */
export const eventNames = [
  "strategy.generated",
  "strategy.optimized",
  "backtest.complete",
  "trade.executed",
  "alert.triggered"
] as const

/** The name of an event. @category schemas @since 0.1.0 */
export const EventName = Schema.Literals(eventNames).annotate({ faultCode: "unknown_event" })

/** The name of an event. @category models @since 0.1.0 */
export type EventName = typeof EventName.Type

/** An event that Candlewick publishes. @category schemas @since 0.1.0 */
export const DomainEvent = Schema.Struct({
  id: EventId,
  account_id: AccountId,
  event: EventName,
  timestamp: Timestamp,
  /** The envelope `{event, timestamp, data}` as JSON text. */
  body: Schema.String
})

/** An event that Candlewick publishes. @category models @since 0.1.0 */
export type DomainEvent = typeof DomainEvent.Type

/**
 * An event that was published, and its number in its account, from 1 and without gaps.
 *
 * @category models
 * @since 0.1.0
 */
export interface PublishedEvent {
  readonly seq: number
  readonly event: DomainEvent
}

const encoder = new TextEncoder()

/** The address of the record that an event is about. */
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

type Head = Omit<DomainEvent, "body">

type Fields = Readonly<Record<string, unknown>>

// A character takes three bytes at most, so most bodies are measured without encoding them.
const isSmall = (body: string): boolean =>
  body.length * 3 <= Limits.payloadMaxBytes || encoder.encode(body).length <= Limits.payloadMaxBytes

const bodyOf = ({ event, timestamp }: Head, data: Fields, first: Fields): string => {
  const write = (written: Fields) =>
    JSON.stringify({ ...first, event, timestamp, data: written }).toWellFormed()
  const body = write(data)
  if (isSmall(body)) return body
  const ids = idsOf(data)
  return write({ ...ids, truncated: true, href: hrefOf(event, ids) })
}

/**
 * Makes an event and freezes its body.
 *
 * **Details**
 *
 * A body above the size that receivers accept is cut: `data` then has the ids, `truncated: true`
 * and `href`, the address of the complete record. So the receiver sees that data is missing.
 *
 * @category models
 * @since 0.1.0
 */
export const makeEvent = (event: Head, fields: Fields): DomainEvent => ({
  ...event,
  body: bodyOf(event, fields, {})
})

/**
 * The envelope of an endpoint's deliveries. `plain` has the three documented keys. `extended` adds
 * `id` and `type`, as the Standard Webhooks specification proposes.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PayloadForm = Schema.Literals(["plain", "extended"])

/** The envelope of an endpoint's deliveries. @category models @since 0.1.0 */
export type PayloadForm = typeof PayloadForm.Type

const decodeBody = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ data: Schema.Record(Schema.String, Schema.Unknown) }))
)

/** The body of an event in the form that an endpoint gets. @category models @since 0.1.0 */
export const bodyFor = (event: DomainEvent, form: PayloadForm): string => {
  if (form === "plain") return event.body
  const first = { id: event.id, type: event.event }
  const body = `${JSON.stringify(first).slice(0, -1)},${event.body.slice(1)}`
  return isSmall(body) ? body : bodyOf(event, decodeBody(event.body).data, first)
}
