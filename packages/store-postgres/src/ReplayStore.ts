/**
 * Keeps replays in SQL.
 *
 * @since 0.1.0
 */
import { Replay, ReplayStore, toPage } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { afterEveryId } from "./internal/afterEveryId.ts"
import { decoderOf } from "./internal/decoderOf.ts"
import { filteredBy } from "./internal/filters.ts"
import { ownedRecords } from "./internal/ownedRecords.ts"
import { toStoreError } from "./internal/toStoreError.ts"

interface ReplayRow {
  readonly record: unknown
}

const decode = decoderOf(Replay)

const make = (sql: SqlClient.SqlClient): ReplayStore["Service"] => {
  const owned = ownedRecords<Replay>(sql, {
    entity: "replay",
    table: "webhook_replays",
    decode,
    columns: ({ status, webhook_id }) => ({ status, webhook_id })
  })
  return {
    insert: owned.insert,
    get: owned.get,
    update: owned.update,
    list: (webhookId, page) =>
      toStoreError(
        Effect.map(
          sql<ReplayRow>`select record from webhook_replays
            where webhook_id = ${webhookId} and id < ${page.before ?? afterEveryId}
              and ${filteredBy(sql, page)}
            order by id desc limit ${page.limit + 1}`,
          (rows) =>
            toPage(
              rows.map(({ record }) => decode(record)),
              page.limit,
              ({ id }) => id
            )
        )
      ),
    listRunning: owned.listWhere(sql`status = 'running'`),
    removeFinished: ({ before, limit }) =>
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

/** A `ReplayStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(ReplayStore, Effect.map(SqlClient.SqlClient, make))
