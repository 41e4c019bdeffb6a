/**
 * Everything that is announced to the outside.
 *
 * The body is serialised once, when the event is made; every delivery sends and signs those bytes.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { AccountId, EventId, Timestamp } from "./Identifier.ts"

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

/** Makes an event and freezes its body. @category models @since 0.1.0 */
export const makeEvent = (
  event: Omit<DomainEvent, "body">,
  fields: Readonly<Record<string, unknown>>
): DomainEvent => ({
  ...event,
  body: JSON.stringify({
    event: event.event,
    timestamp: event.timestamp,
    data: fields
  }).toWellFormed()
})
