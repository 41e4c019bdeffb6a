/**
 * Keeps the notices that are owed in memory.
 *
 * @since 0.1.0
 */
import { NoticeQueue } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { Database } from "./internal/Database.ts"
import type { TakeableNotice } from "./internal/tables.ts"

/** `NoticeQueue` over the shared memory. @category layers @since 0.1.0 */
export const layer: Layer.Layer<NoticeQueue, never, Database> = Layer.effect(
  NoticeQueue,
  Effect.map(Database, (database) => ({
    take: ({ leaseMs, limit }) =>
      database.writeAt((tables, nowMs) => {
        const taken: Array<TakeableNotice> = []
        for (const notice of tables.notices.oldest("owed")) {
          if (taken.length >= limit || notice.dueMs > nowMs) break
          taken.push(notice)
        }
        for (const notice of taken) {
          tables.notices = tables.notices.put({ ...notice, dueMs: nowMs + leaseMs })
        }
        return taken.map(({ owed }) => owed)
      }),
    settle: (attemptIds) =>
      database.write((tables) => {
        for (const id of attemptIds) tables.notices = tables.notices.remove(id)
      })
  }))
)
