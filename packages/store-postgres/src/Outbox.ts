/**
 * Events in SQL that wait to be published, and the published events of each account.
 *
 * @since 0.1.0
 */
import { DomainEvent, Limits, Outbox } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { decoderOf } from "./internal/decoderOf.ts"
import { heldBriefly } from "./internal/heldBriefly.ts"
import { jsonText } from "./internal/jsonText.ts"
import { alreadyExists } from "./internal/refusals.ts"
import { type IdRow, leftOut, recordRows } from "./internal/recordRows.ts"
import { toStoreError } from "./internal/toStoreError.ts"

interface EventRow {
  readonly record: unknown
}

interface PublishedRow extends EventRow {
  readonly seq: number
}

const decodeEvent = decoderOf(DomainEvent)

/** An `Outbox` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  Outbox,
  Effect.map(SqlClient.SqlClient, (sql) => makeOutbox(sql))
)

/**
 * Moves events from the outbox to the published events of their accounts.
 *
 * **Details**
 *
 * An account's count is locked until the transaction ends, and counts are locked in the order of
 * their accounts. Numbers so have no gaps, and no reader sees a number before those below it. Each
 * event pushes one out, found by its number and not from the oldest on. A dropped row stays in the
 * index until a vacuum takes it. The limit adds nothing to the numbers: a database that expects
 * more rows than that reads the whole table.
 */
const publisher = (sql: SqlClient.SqlClient) => (eventIds: ReadonlyArray<string>) =>
  toStoreError(
    Effect.asVoid(
      sql`with taken as (
          delete from outbox where id = any(${eventIds}::text[])
          returning id, coalesce(account_id, record ->> 'account_id') as account_id, record
        ), added as (
          select account_id, count(*)::integer as event_count from taken group by account_id
        ), counted as (
          insert into event_counts as counts (account_id, event_count)
          select account_id, event_count from added order by account_id
          on conflict (account_id)
            do update set event_count = counts.event_count + excluded.event_count
          returning account_id, event_count
        ), dropped as (
          delete from published_events where ctid = any(array(
            select old.ctid
            from (
              select account_id, added.event_count as added_count,
                counted.event_count - ${Limits.eventsPerAccountMaxCount}::integer as dropped_seq
              from counted join added using (account_id)
            ) newest cross join lateral (
              select ctid from published_events
              where account_id = newest.account_id
                and seq > dropped_seq - added_count and seq <= dropped_seq
              order by seq limit added_count
            ) old
          ))
        )
        insert into published_events (account_id, seq, record)
        select account_id, seq, record from (
          select account_id, event_count, record, event_count - (count(*) over own)::integer
            + (row_number() over (own order by id))::integer as seq
          from taken join counted using (account_id)
          window own as (partition by account_id)
        ) numbered
        where seq > event_count - ${Limits.eventsPerAccountMaxCount}::integer`
    )
  )

function makeOutbox(sql: SqlClient.SqlClient): Outbox["Service"] {
  const oldest = (limit: number, lock: "" | "for update") =>
    toStoreError(
      Effect.map(
        sql<EventRow>`select record ${sql.literal(lock === "" ? "" : `, ${heldBriefly}`)} from outbox
          order by id limit ${Math.max(0, limit)} ${sql.literal(lock)}`,
        (rows) => rows.map(({ record }) => decodeEvent(record))
      )
    )

  const publish = publisher(sql)

  return Outbox.of({
    append: Effect.fnUntraced(function* (event) {
      const inserted = yield* toStoreError(
        sql`insert into outbox (id, account_id, record)
          values (${event.id}, ${event.account_id}, ${jsonText(event)})
          on conflict (id) do nothing returning id`
      )
      if (inserted.length === 0) return yield* alreadyExists("event", event.id)
    }),
    appendAll: Effect.fnUntraced(function* (events) {
      if (events.length === 0) return
      const rows = recordRows(sql, events, {
        id: ({ id }) => id,
        account_id: ({ account_id }) => account_id,
        record: (event) => jsonText(event)
      })
      const inserted = yield* toStoreError(
        sql<IdRow>`insert into outbox (id, account_id, record)
          select id, account_id, record::json from ${rows} order by place
          on conflict (id) do nothing returning id`
      )
      const known = leftOut(events, inserted, ({ id }) => id)
      if (known !== undefined) return yield* alreadyExists("event", known.id)
    }),
    peek: (limit) => oldest(limit, ""),
    take: (limit) => oldest(limit, "for update"),
    acknowledge: (eventId) => publish([eventId]),
    acknowledgeAll: publish,
    listPublished: (accountId, { after, limit }) =>
      toStoreError(
        Effect.map(
          // Where fewer are kept than before, the oldest beyond that number count as gone.
          sql<PublishedRow>`select seq, record from published_events
            where account_id = ${accountId} and seq > greatest(${after}::integer, (
              select event_count - ${Limits.eventsPerAccountMaxCount}::integer from event_counts
              where account_id = ${accountId}
            ))
            order by seq limit ${limit}`,
          (rows) => rows.map(({ record, seq }) => ({ seq, event: decodeEvent(record) }))
        )
      ),
    newestSeq: (accountId) =>
      toStoreError(
        Effect.map(
          sql<Pick<PublishedRow, "seq">>`select event_count as seq from event_counts
            where account_id = ${accountId}`,
          ([row]) => row?.seq ?? 0
        )
      )
  })
}
