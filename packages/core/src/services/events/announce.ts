/**
 * The announcements of services: an event with its time and its id.
 *
 * @since 0.1.0
 */
import { Clock, Effect } from "effect"
import { type DomainEvent, type EventName, makeEvent } from "../../domain/DomainEvent.ts"
import { toTimestamp } from "@candlewick/engine"
import type { Events } from "./Events.ts"
import type { Ids } from "../Ids.ts"

/** The wall's time, as text. */
export const nowTimestamp = Effect.map(Clock.currentTimeMillis, toTimestamp)

/** Announces an event in the transaction under way. */
export const announce = Effect.fnUntraced(function* (
  { events, ids }: { readonly events: Events["Service"]; readonly ids: Ids["Service"] },
  accountId: string,
  event: EventName,
  fields: Readonly<Record<string, unknown>>
) {
  const made: DomainEvent = makeEvent(
    { id: yield* ids.make("event"), account_id: accountId, event, timestamp: yield* nowTimestamp },
    fields
  )
  yield* events.announce(made)
})
