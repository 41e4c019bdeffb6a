/**
 * Keeps the notices that are owed in SQL.
 *
 * @since 0.1.0
 */
import { NoticeQueue, OwedNotice } from "@candlewick/core"
import { Effect, Layer } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { decoderOf } from "./internal/decoderOf.ts"
import { withTime } from "./internal/StoreTime.ts"
import { toStoreError } from "./internal/toStoreError.ts"

interface NoticeRow {
  readonly record: unknown
}

const decode = decoderOf(OwedNotice)

const make = (
  sql: SqlClient.SqlClient,
  presentMs: Effect.Effect<Statement.Fragment>
): NoticeQueue["Service"] => ({
  take: ({ leaseMs, limit }) =>
    toStoreError(
      Effect.map(
        Effect.flatMap(
          presentMs,
          (now) => sql<NoticeRow>`with due as materialized (
            select attempt_id, due_at_ms as was_due_at_ms from webhook_notices
            where due_at_ms <= ${now}
            order by due_at_ms, attempt_id limit ${limit} for update skip locked
          ), taken as (
            update webhook_notices notice set due_at_ms = ${now} + ${leaseMs}::float8
            from due where due.attempt_id = notice.attempt_id
            returning notice.attempt_id, due.was_due_at_ms, notice.record
          )
          select record from taken order by was_due_at_ms, attempt_id`
        ),
        (rows) => rows.map(({ record }) => decode(record))
      )
    ),
  settle: (attemptIds) =>
    toStoreError(
      Effect.asVoid(
        sql`delete from webhook_notices where attempt_id = any(${[...attemptIds]}::text[])`
      )
    )
})

/** A `NoticeQueue` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(NoticeQueue, withTime(make))
