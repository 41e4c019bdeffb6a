/**
 * Keeps deliveries in SQL.
 *
 * @since 0.1.0
 */
import {
  type Delivery,
  type DeliveryChange,
  DeliveryStore,
  dueFrom,
  type NewDelivery,
  StoreError,
  toPage
} from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { afterEveryId } from "./internal/afterEveryId.ts"
import {
  deliveryColumns,
  type DeliveryRow,
  listedColumns,
  type ListedRow,
  recordOf,
  toDelivery,
  toListed,
  unsuccessful
} from "./internal/deliveryRow.ts"
import { inTransaction } from "./internal/inTransaction.ts"
import { jsonText } from "./internal/jsonText.ts"
import { insertDeliveries, updateDeliveries } from "./internal/manyDeliveries.ts"
import { withTime } from "./internal/StoreTime.ts"
import { toStoreError } from "./internal/toStoreError.ts"

/** The condition of the index that has the deliveries of one status, and few others. */
const placeOf = (sql: SqlClient.SqlClient, status: Delivery["status"]) => {
  switch (status) {
    case "pending":
    case "retrying":
    case "sending":
      return sql`claim_at_ms is not null`
    case "failed":
    case "cancelled":
    case "skipped":
      return sql.literal(unsuccessful)
    case "succeeded":
      return sql`true`
  }
}

interface NumberRow {
  readonly sequence: number
  readonly due_at_ms: number
}

const get = (sql: SqlClient.SqlClient, webhookId: string, id: string) =>
  sql<DeliveryRow>`select ${sql.literal(deliveryColumns)} from webhook_deliveries
    where id = ${id} and webhook_id = ${webhookId}`.pipe(
    Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), toDelivery)),
    (effect) => toStoreError(effect)
  )

const getOfEvent = (sql: SqlClient.SqlClient, webhookId: string, eventId: string) =>
  sql<DeliveryRow>`select ${sql.literal(deliveryColumns)} from webhook_deliveries
    where webhook_id = ${webhookId} and event_id = ${eventId}`

// The number is taken only if the row is made, so that there is no hole. Another transaction that
// makes a delivery for this endpoint waits for the number until then.
const insertNumbered = (sql: SqlClient.SqlClient, now: Statement.Fragment, delivery: NewDelivery) =>
  sql<NumberRow>`with lane as (
      select sequences.last from webhook_sequences sequences
      join webhooks webhook on webhook.id = sequences.webhook_id
      where sequences.webhook_id = ${delivery.webhook_id}
        and webhook.account_id = ${delivery.account_id}
      for update of sequences
    ), inserted as (
      insert into webhook_deliveries (id, webhook_id, event_id, event, sequence, status,
        due_at_ms, leased_until_ms, version, updated_at, is_sample, body, record)
      select ${delivery.id}, ${delivery.webhook_id}, ${delivery.event_id}, ${delivery.event},
        lane.last + 1, ${delivery.status}, ${now} + ${delivery.due_in_ms}::float8,
        ${delivery.leased_until_ms}::float8, 1, ${delivery.updated_at},
        ${delivery.test}::boolean,
        ${jsonText(delivery.body)}::json, ${jsonText(recordOf(delivery))}::json
      from lane
      on conflict do nothing returning sequence, due_at_ms
    ), counted as (
      update webhook_sequences sequences set last = inserted.sequence from inserted
      where sequences.webhook_id = ${delivery.webhook_id}
    )
    select sequence, due_at_ms from inserted`

const insert = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  now: Statement.Fragment,
  given: NewDelivery
) {
  const { due_in_ms: _due, ...delivery } = given
  const { event_id: eventId, id, webhook_id: webhookId } = delivery
  const [numbered] = yield* toStoreError(insertNumbered(sql, now, given))
  if (numbered !== undefined) return { ...delivery, ...numbered, version: 1 }
  const [made] = yield* toStoreError(getOfEvent(sql, webhookId, eventId))
  if (made !== undefined) return toDelivery(made)
  const taken = yield* toStoreError(sql`select id from webhook_deliveries where id = ${id}`)
  return yield* taken.length > 0
    ? StoreError.alreadyExists("delivery", id)
    : StoreError.notFound("webhook", webhookId)
})

interface DueRow {
  readonly due_at_ms: number
}

const update = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  now: Statement.Fragment,
  change: DeliveryChange
) {
  const delivery = dueFrom(change, 0)
  const { id, version, webhook_id: webhookId } = delivery
  const changed = yield* toStoreError(
    sql<DueRow>`update webhook_deliveries
      set status = ${delivery.status},
        due_at_ms = coalesce(
          ${now} + ${change.due_in_ms ?? null}::float8, ${delivery.due_at_ms}::float8
        ),
        leased_until_ms = ${delivery.leased_until_ms}::float8, version = ${version + 1},
        updated_at = ${delivery.updated_at}, record = ${jsonText(recordOf(delivery))}
      where id = ${id} and webhook_id = ${webhookId} and version = ${version}
      returning due_at_ms`
  )
  const [due] = changed
  if (due !== undefined) return { ...delivery, ...due, version: version + 1 }
  const isThere = Option.isSome(yield* get(sql, webhookId, id))
  return yield* isThere
    ? StoreError.versionConflict("delivery", id, version)
    : StoreError.notFound("delivery", id)
})

const make = (
  sql: SqlClient.SqlClient,
  presentMs: Effect.Effect<Statement.Fragment>
): DeliveryStore["Service"] => ({
  get: (webhookId, id) => get(sql, webhookId, id),
  insert: (delivery) => Effect.flatMap(presentMs, (now) => insert(sql, now, delivery)),
  insertMany: (deliveries) =>
    deliveries.length === 0
      ? Effect.succeed([])
      : Effect.flatMap(presentMs, (now) =>
          toStoreError(inTransaction(sql, insertDeliveries(sql, now, deliveries)))
        ),
  update: (delivery) => Effect.flatMap(presentMs, (now) => update(sql, now, delivery)),
  updateMany: (deliveries) =>
    deliveries.length === 0
      ? Effect.succeed([])
      : Effect.flatMap(presentMs, (now) => toStoreError(updateDeliveries(sql, now, deliveries))),
  removeFinished: ({ before, limit }) =>
    toStoreError(
      Effect.map(
        sql`delete from webhook_deliveries where id in (
            select id from webhook_deliveries
            where id < ${before} and claim_at_ms is null order by id limit ${limit}
            for update skip locked
          ) returning id`,
        ({ length }) => length
      )
    ),
  list: (webhookId, { after, before, event, limit, status }) =>
    sql<ListedRow>`select ${sql.literal(listedColumns)} from webhook_deliveries
      where webhook_id = ${webhookId} and id < ${before ?? afterEveryId}
        and id > ${after ?? ""}
        ${status === undefined ? sql`` : sql`and status = ${status} and ${placeOf(sql, status)}`}
        ${event === undefined ? sql`` : sql`and event = ${event}`}
      order by id desc limit ${limit + 1}`.pipe(
      Effect.map((rows) => toPage(rows.map(toListed), limit, ({ id }) => id)),
      (effect) => toStoreError(effect)
    )
})

/** A `DeliveryStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(DeliveryStore, withTime(make))
