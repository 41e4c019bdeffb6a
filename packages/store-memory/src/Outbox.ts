/**
 * Holds events in memory until every publisher has them.
 *
 * @since 0.1.0
 */
import { type DomainEvent, Outbox, type StoreError } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { Database } from "./internal/Database.ts"
import { frozenCopy } from "./internal/frozenCopy.ts"
import { alreadyExists } from "./internal/refusals.ts"
import type { Tables } from "./internal/tables.ts"

const oldestOf = ({ events }: Tables, limit: number): ReadonlyArray<DomainEvent> => {
  const oldest: Array<DomainEvent> = []
  if (limit <= 0) return oldest
  for (const [, event] of events.rising()) {
    oldest.push(event)
    if (oldest.length >= limit) break
  }
  return oldest
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
    append: (event) =>
      database.write((tables): StoreError | undefined => {
        if (tables.events.get(event.id) !== undefined) return alreadyExists("event", event.id)
        tables.events = tables.events.put(event.id, frozenCopy(event))
        return undefined
      }),
    peek: (limit) => database.read((tables) => oldestOf(tables, limit)),
    // Transactions follow one another, so that nobody else takes meanwhile.
    take: (limit) => database.read((tables) => oldestOf(tables, limit)),
    acknowledge: (eventId) =>
      database.write((tables) => {
        tables.events = tables.events.remove(eventId)
      }),
    acknowledgeAll: (eventIds) =>
      database.write((tables) => {
        for (const id of eventIds) tables.events = tables.events.remove(id)
      })
  }))
)
