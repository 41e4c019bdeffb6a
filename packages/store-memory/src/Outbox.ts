/**
 * The outbox in memory.
 *
 * @since 0.1.0
 */
import { type DomainEvent, Outbox } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { MemoryDatabase } from "./internal/MemoryDatabase.ts"

/** An `Outbox` in memory. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  Outbox,
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const waiting = database.table<DomainEvent>()
    return Outbox.of({
      append: (event) => database.run(() => waiting.put(event.id, event)),
      peek: (limit) => database.run(() => waiting.first(limit)),
      acknowledge: (eventId) => database.run(() => void waiting.delete(eventId))
    })
  })
)
