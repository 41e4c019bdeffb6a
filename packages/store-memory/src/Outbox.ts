/**
 * Holds events in memory until every publisher has them, and the newest of each account after that.
 *
 * @since 0.1.0
 */
import {
  type DomainEvent,
  Limits,
  Outbox,
  type PublishedEvent,
  type StoreError
} from "@candlewick/core"
import { Effect, Layer } from "effect"
import { keyOf, sortable } from "./internal/Collection.ts"
import { Database } from "./internal/Database.ts"
import { frozenCopy } from "./internal/frozenCopy.ts"
import { alreadyExists, firstRefusal } from "./internal/refusals.ts"
import { publishedKey, type Tables } from "./internal/tables.ts"

const oldestOf = ({ events }: Tables, limit: number): ReadonlyArray<DomainEvent> => {
  const oldest: Array<DomainEvent> = []
  if (limit <= 0) return oldest
  for (const [, event] of events.rising()) {
    oldest.push(event)
    if (oldest.length >= limit) break
  }
  return oldest
}

const append = (tables: Tables, event: DomainEvent): StoreError | undefined => {
  if (tables.events.get(event.id) !== undefined) return alreadyExists("event", event.id)
  tables.events = tables.events.put(event.id, frozenCopy(event))
  return undefined
}

const groupOf = (accountId: string): string => keyOf("account", accountId)

/** Moves an event from the waiting ones to its account's. */
const publish = (tables: Tables, id: string): void => {
  const event = tables.events.get(id)
  if (event === undefined) return
  tables.events = tables.events.remove(id)
  const group = groupOf(event.account_id)
  const seq = (tables.publishedEvents.last(group)?.seq ?? 0) + 1
  tables.publishedEvents = tables.publishedEvents.put({ seq, event })
  // Numbers have no gaps, so that the first one shows how many there are.
  const oldest = tables.publishedEvents.first(group)
  if (oldest !== undefined && seq - oldest.seq >= Limits.eventsPerAccountMaxCount) {
    tables.publishedEvents = tables.publishedEvents.remove(publishedKey(oldest))
  }
}

/**
 * `Outbox` over the shared memory.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Outbox, never, Database> = Layer.effect(
  Outbox,
  Effect.map(Database, (database) => ({
    append: (event) => database.write((tables) => append(tables, event)),
    appendAll: (events) =>
      database.write((tables) => firstRefusal(events, (event) => append(tables, event))),
    peek: (limit) => database.read((tables) => oldestOf(tables, limit)),
    // Transactions follow one another, so that no other caller takes meanwhile.
    take: (limit) => database.read((tables) => oldestOf(tables, limit)),
    acknowledge: (eventId) => database.write((tables) => publish(tables, eventId)),
    acknowledgeAll: (eventIds) =>
      database.write((tables) => {
        for (const id of eventIds.toSorted()) publish(tables, id)
      }),
    listPublished: (accountId, { after, limit }) =>
      database.read(({ publishedEvents }) => {
        const found: Array<PublishedEvent> = []
        for (const one of publishedEvents.oldest(groupOf(accountId), sortable(after + 1))) {
          if (found.length >= limit) break
          found.push(one)
        }
        return found
      }),
    newestSeq: (accountId) =>
      database.read(({ publishedEvents }) => publishedEvents.last(groupOf(accountId))?.seq ?? 0)
  }))
)
