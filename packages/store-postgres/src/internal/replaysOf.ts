/**
 * The replays of the SQL `WebhookStore`.
 *
 * @since 0.1.0
 */
import { Replay, toPage, type WebhookStore } from "@candlewick/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { afterEveryId } from "./afterEveryId.ts"
import { decoderOf } from "./decoderOf.ts"
import { ownedRecords } from "./ownedRecords.ts"
import { toStoreError } from "./toStoreError.ts"

type Replays = Pick<
  WebhookStore["Service"],
  "insertReplay" | "getReplay" | "updateReplay" | "listReplays" | "runningReplays" | "removeReplays"
>

interface ReplayRow {
  readonly record: unknown
}

const decode = decoderOf(Replay)

/** The methods of `WebhookStore` about replays. @category models @since 0.1.0 */
export const replaysOf = (sql: SqlClient.SqlClient): Replays => {
  const owned = ownedRecords<Replay>(sql, {
    entity: "replay",
    table: "webhook_replays",
    decode,
    columns: ({ status, webhook_id }) => ({ status, webhook_id })
  })
  return {
    insertReplay: owned.insert,
    getReplay: owned.get,
    updateReplay: owned.update,
    listReplays: (webhookId, { before, limit }) =>
      toStoreError(
        Effect.map(
          sql<ReplayRow>`select record from webhook_replays
            where webhook_id = ${webhookId} and id < ${before ?? afterEveryId}
            order by id desc limit ${limit + 1}`,
          (rows) =>
            toPage(
              rows.map(({ record }) => decode(record)),
              limit,
              ({ id }) => id
            )
        )
      ),
    runningReplays: owned.listWhere(sql`status = 'running'`),
    removeReplays: ({ before, limit }) =>
      toStoreError(
        Effect.map(
          sql`delete from webhook_replays where id in (
              select id from webhook_replays where id < ${before} and status <> 'running'
              order by id limit ${limit}
            ) returning id`,
          ({ length }) => length
        )
      )
  }
}
