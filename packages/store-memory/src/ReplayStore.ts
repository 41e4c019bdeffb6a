/**
 * Keeps replays in memory.
 *
 * @since 0.1.0
 */
import { passesFilter, type Replay, ReplayStore } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { keyOf } from "./internal/Collection.ts"
import { Database } from "./internal/Database.ts"
import { ownedRecords } from "./internal/ownedRecords.ts"
import { pageOf } from "./internal/pages.ts"

/** `ReplayStore` over the shared memory. @category layers @since 0.1.0 */
export const layer: Layer.Layer<ReplayStore, never, Database> = Layer.effect(
  ReplayStore,
  Effect.map(Database, (database) => {
    const owned = ownedRecords<Replay>(database, "replay", "replays")
    return {
      insert: owned.insert,
      get: owned.get,
      update: owned.update,
      list: (webhookId, page) =>
        database.read(({ replays }) =>
          pageOf(
            replays.newest(keyOf("endpoint", webhookId), page.before),
            page.limit,
            ({ id }) => id,
            passesFilter(page)
          )
        ),
      listRunning: owned.listUnfinished,
      removeFinished: ({ before, limit }) =>
        database.write((tables) => {
          const old = tables.replays
            .all()
            .filter(({ id, status }) => id < before && status !== "running")
            .slice(0, limit)
          for (const { id } of old) tables.replays = tables.replays.remove(id)
          return old.length
        })
    }
  })
)
