/**
 * The replays of the `WebhookStore` in memory.
 *
 * @since 0.1.0
 */
import type { Replay, WebhookStore } from "@candlewick/core"
import { keyOf } from "./Collection.ts"
import type { Database } from "./Database.ts"
import { ownedRecords } from "./ownedRecords.ts"
import { pageOf } from "./pages.ts"

type Replays = Pick<
  WebhookStore["Service"],
  "insertReplay" | "getReplay" | "updateReplay" | "listReplays" | "runningReplays" | "removeReplays"
>

/** The methods of `WebhookStore` about replays. @category models @since 0.1.0 */
export const replaysOf = (database: Database["Service"]): Replays => {
  const owned = ownedRecords<Replay>(database, "replay", "replays")
  return {
    insertReplay: owned.insert,
    getReplay: owned.get,
    updateReplay: owned.update,
    listReplays: (webhookId, { before, limit }) =>
      database.read(({ replays }) =>
        pageOf(replays.newest(keyOf("endpoint", webhookId), before), limit, ({ id }) => id)
      ),
    runningReplays: owned.listUnfinished,
    removeReplays: ({ before, limit }) =>
      database.write((tables) => {
        const old = tables.replays
          .all()
          .filter(({ id, status }) => id < before && status !== "running")
          .slice(0, limit)
        for (const { id } of old) tables.replays = tables.replays.remove(id)
        return old.length
      })
  }
}
