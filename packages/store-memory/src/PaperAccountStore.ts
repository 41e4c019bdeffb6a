/**
 * Paper accounts in memory.
 *
 * @since 0.1.0
 */
import { PaperAccountStore } from "@candlewick/core"
import { Effect, Layer, Option, type Schema } from "effect"
import { MemoryDatabase } from "./internal/MemoryDatabase.ts"

/** A `PaperAccountStore` in memory. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  PaperAccountStore,
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const snapshots = database.table<{ readonly snapshot: Schema.Json }>()
    return PaperAccountStore.of({
      get: (botId) =>
        database.run(() =>
          Option.map(Option.fromUndefinedOr(snapshots.get(botId)), ({ snapshot }) => snapshot)
        ),
      put: (botId, snapshot) =>
        database.run(() => snapshots.put(botId, { snapshot: structuredClone(snapshot) })),
      remove: (botId) => database.run(() => void snapshots.delete(botId))
    })
  })
)
