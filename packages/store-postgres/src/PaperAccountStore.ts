/**
 * The accounts of the paper broker in SQL.
 *
 * @since 0.1.0
 */
import { PaperAccountStore } from "@candlewick/core"
import { Effect, Layer, Option, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { jsonText } from "./internal/jsonText.ts"
import { toStoreError } from "./internal/toStoreError.ts"

interface SnapshotRow {
  readonly snapshot: Schema.Json
}

/** A `PaperAccountStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  PaperAccountStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    PaperAccountStore.of({
      get: (botId) =>
        sql<SnapshotRow>`select snapshot from paper_accounts where bot_id = ${botId}`.pipe(
          Effect.map(([row]) =>
            Option.map(Option.fromUndefinedOr(row), ({ snapshot }) => snapshot)
          ),
          (effect) => toStoreError(effect)
        ),
      put: (botId, snapshot) =>
        toStoreError(
          Effect.asVoid(
            sql`insert into paper_accounts (bot_id, snapshot)
              values (${botId}, ${jsonText(snapshot)})
              on conflict (bot_id) do update set snapshot = excluded.snapshot`
          )
        ),
      remove: (botId) =>
        toStoreError(Effect.asVoid(sql`delete from paper_accounts where bot_id = ${botId}`))
    })
  )
)
