/**
 * Events in SQL that wait to be published.
 *
 * @since 0.1.0
 */
import { DomainEvent, Outbox } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { decoderOf } from "./internal/decoderOf.ts"
import { jsonText } from "./internal/jsonText.ts"
import { alreadyExists } from "./internal/refusals.ts"
import { toStoreError } from "./internal/toStoreError.ts"

interface EventRow {
  readonly record: unknown
}

const decodeEvent = decoderOf(DomainEvent)

/** An `Outbox` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  Outbox,
  Effect.map(SqlClient.SqlClient, (sql) => makeOutbox(sql))
)

function makeOutbox(sql: SqlClient.SqlClient): Outbox["Service"] {
  const oldest = (limit: number, lock: "" | "for update") =>
    toStoreError(
      Effect.map(
        sql<EventRow>`select record from outbox
          order by id limit ${Math.max(0, limit)} ${sql.literal(lock)}`,
        (rows) => rows.map(({ record }) => decodeEvent(record))
      )
    )

  return Outbox.of({
    append: Effect.fnUntraced(function* (event) {
      const inserted = yield* toStoreError(
        sql`insert into outbox (id, record) values (${event.id}, ${jsonText(event)})
          on conflict (id) do nothing returning id`
      )
      if (inserted.length === 0) return yield* alreadyExists("event", event.id)
    }),
    peek: (limit) => oldest(limit, ""),
    take: (limit) => oldest(limit, "for update"),
    acknowledge: (eventId) =>
      toStoreError(Effect.asVoid(sql`delete from outbox where id = ${eventId}`)),
    acknowledgeAll: (eventIds) =>
      toStoreError(Effect.asVoid(sql`delete from outbox where id = any(${eventIds}::text[])`))
  })
}
