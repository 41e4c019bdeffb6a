/**
 * The notices about webhook endpoints that are owed.
 *
 * @since 0.1.0
 */
import { OwedNotice, type WebhookStore } from "@candlewick/core"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { decoderOf } from "./decoderOf.ts"
import { jsonText } from "./jsonText.ts"
import { toStoreError } from "./toStoreError.ts"

interface NoticeRow {
  readonly record: unknown
}

const decode = decoderOf(OwedNotice)

/** Writes down notices that are owed from now on. @category models @since 0.1.0 */
export const oweNotices = (
  sql: SqlClient.SqlClient,
  owed: ReadonlyArray<OwedNotice>
): Effect.Effect<void, SqlError.SqlError> => {
  const rows = owed.map((record) => ({
    attempt_id: record.attempt_id,
    due_at_ms: record.at_ms,
    record
  }))
  return Effect.asVoid(
    sql`insert into webhook_notices (attempt_id, due_at_ms, record)
      select attempt_id, due_at_ms, record from json_to_recordset(${jsonText(rows)}::json)
        as owed (attempt_id text, due_at_ms float8, record json)
      on conflict (attempt_id) do update
        set due_at_ms = excluded.due_at_ms, record = excluded.record`
  )
}

/** The methods of `WebhookStore` about notices. @category models @since 0.1.0 */
export const noticesOf = (
  sql: SqlClient.SqlClient
): Pick<WebhookStore["Service"], "takeNotices" | "settleNotices"> => ({
  takeNotices: ({ leaseUntilMs, limit, nowMs }) =>
    toStoreError(
      Effect.map(
        sql<NoticeRow>`with due as materialized (
            select attempt_id, due_at_ms as was_due_at_ms from webhook_notices
            where due_at_ms <= ${nowMs}::float8
            order by due_at_ms, attempt_id limit ${limit} for update skip locked
          ), taken as (
            update webhook_notices notice set due_at_ms = ${leaseUntilMs}::float8
            from due where due.attempt_id = notice.attempt_id
            returning notice.attempt_id, due.was_due_at_ms, notice.record
          )
          select record from taken order by was_due_at_ms, attempt_id`,
        (rows) => rows.map(({ record }) => decode(record))
      )
    ),
  settleNotices: (attemptIds) =>
    toStoreError(
      Effect.asVoid(
        sql`delete from webhook_notices where attempt_id = any(${[...attemptIds]}::text[])`
      )
    )
})
