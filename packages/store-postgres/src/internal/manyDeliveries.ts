/**
 * Deliveries made and replaced by the batch: one statement, however many there are.
 *
 * A batch goes in as one JSON text, whose rows `json_to_recordset` gives the types of the columns.
 *
 * @since 0.1.0
 */
import {
  type Delivery,
  type DeliveryChange,
  dueFrom,
  type ListedDelivery,
  type NewDelivery
} from "@candlewick/core"
import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { recordOf } from "./deliveryRow.ts"
import { jsonText } from "./jsonText.ts"
import { statusAfter } from "./statusAfter.ts"

interface MadeRow {
  readonly id: string
  readonly sequence: number
  readonly due_at_ms: number
}

interface KeptRow {
  readonly id: string
  readonly due_at_ms: number
}

interface OldestRow {
  readonly id: string
  readonly webhook_id: string
}

const columnsOf = (delivery: Omit<ListedDelivery, "sequence" | "due_at_ms">) => ({
  id: delivery.id,
  webhook_id: delivery.webhook_id,
  status: delivery.status,
  leased_until_ms: delivery.leased_until_ms,
  version: delivery.version,
  updated_at: delivery.updated_at,
  // Texts in the text: SQL reads no JSON that has a NUL in it, and need not read these.
  record: jsonText(recordOf(delivery))
})

/**
 * Waits for transactions that make deliveries for these endpoints, and locks them out until the end
 * of its own. Other transactions that lock endpoints do so before.
 *
 * @category models
 * @since 0.1.0
 */
export const lockSequences = (
  sql: SqlClient.SqlClient,
  webhookIds: ReadonlyArray<string>
): Effect.Effect<void, SqlError.SqlError> =>
  // In one order, so that two batches don't wait for each other.
  Effect.asVoid(sql`select last from webhook_sequences
    where webhook_id = any(${webhookIds}::text[]) order by webhook_id for update`)

/**
 * Makes deliveries in two statements of the open transaction. The second sees the deliveries of the
 * process that had the numbers before.
 *
 * @category models
 * @since 0.1.0
 */
export const insertDeliveries = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  now: Statement.Fragment,
  deliveries: ReadonlyArray<NewDelivery>
): Effect.fn.Return<ReadonlyArray<Delivery>, SqlError.SqlError> {
  const webhookIds = [...new Set(deliveries.map(({ webhook_id }) => webhook_id))]
  yield* lockSequences(sql, webhookIds)
  const given = deliveries.map((delivery, place) => ({
    ...columnsOf(delivery),
    due_in_ms: delivery.due_in_ms,
    place,
    account_id: delivery.account_id,
    event_id: delivery.event_id,
    event: delivery.event,
    is_sample: delivery.test,
    body: jsonText(delivery.body)
  }))
  const made = yield* sql<MadeRow>`with given as (
      select * from json_to_recordset(${jsonText(given)}::json) as delivery (
        id text, webhook_id text, status text, due_in_ms float8, leased_until_ms float8,
        updated_at text, record text, is_sample boolean, place integer, account_id text,
        event_id text, event text, body text
      )
    ), fresh as (
      select distinct on (given.webhook_id, given.event_id) given.*, sequences.last
      from given
      join webhooks webhook
        on webhook.id = given.webhook_id and webhook.account_id = given.account_id
      join webhook_sequences sequences on sequences.webhook_id = given.webhook_id
      where not exists (
          select from webhook_deliveries made
          where made.webhook_id = given.webhook_id and made.event_id = given.event_id
        )
        and not exists (select from webhook_deliveries taken where taken.id = given.id)
      order by given.webhook_id, given.event_id, given.place
    ), inserted as (
      insert into webhook_deliveries (id, webhook_id, event_id, event, sequence, status,
        due_at_ms, leased_until_ms, version, updated_at, is_sample, body, record)
      select id, webhook_id, event_id, event,
        last + row_number() over (partition by webhook_id order by place),
        status, ${now} + due_in_ms, leased_until_ms, 1, updated_at, is_sample, body::json,
        record::json
      from fresh
      on conflict do nothing returning id, webhook_id, sequence, due_at_ms
    ), counted as (
      update webhook_sequences sequences set last = newest.sequence
      from (select webhook_id, max(sequence) as sequence from inserted group by 1) newest
      where sequences.webhook_id = newest.webhook_id
    )
    select id, sequence, due_at_ms from inserted`
  const rows = new Map(made.map((row) => [row.id, row]))
  return deliveries.flatMap(({ due_in_ms: _due, ...delivery }) => {
    const row = rows.get(delivery.id)
    // Of two with one id the first was made.
    rows.delete(delivery.id)
    return row === undefined ? [] : [{ ...delivery, ...row, version: 1 }]
  })
})

/**
 * Replaces deliveries that are still at their versions, and gives them at their next ones.
 *
 * @category models
 * @since 0.1.0
 */
export const updateDeliveries = <A extends ListedDelivery>(
  sql: SqlClient.SqlClient,
  now: Statement.Fragment,
  deliveries: ReadonlyArray<DeliveryChange<A>>
): Effect.Effect<ReadonlyArray<A>, SqlError.SqlError> => {
  const given = deliveries.map((delivery) => ({
    ...columnsOf(delivery),
    due_at_ms: delivery.due_at_ms,
    due_in_ms: delivery.due_in_ms
  }))
  return Effect.map(
    sql<KeptRow>`with given as materialized (
        select * from json_to_recordset(${jsonText(given)}::json) as delivery (
          id text, webhook_id text, status text, due_at_ms float8, due_in_ms float8,
          leased_until_ms float8, version integer, updated_at text, record text
        )
      ), locked as materialized (
        select stored.id from webhook_deliveries stored
        join given on given.id = stored.id and given.webhook_id = stored.webhook_id
        where stored.version = given.version
        order by stored.id for update of stored
      )
      update webhook_deliveries stored
      set status = given.status,
        due_at_ms = coalesce(${now} + given.due_in_ms, given.due_at_ms),
        leased_until_ms = given.leased_until_ms, version = given.version + 1,
        updated_at = given.updated_at, record = given.record::json
      from given join locked on locked.id = given.id
      where stored.id = given.id and stored.version = given.version
      returning stored.id, stored.due_at_ms`,
    (rows) => {
      const kept = new Map(rows.map((row) => [row.id, row.due_at_ms]))
      return deliveries.flatMap((change) => {
        const due_at_ms = kept.get(change.id)
        kept.delete(change.id)
        const version = change.version + 1
        return due_at_ms === undefined ? [] : [{ ...dueFrom(change, 0), due_at_ms, version }]
      })
    }
  )
}

/**
 * Cancels deliveries that wait for endpoints and are not under way, those that a transaction is
 * about to make included. Returns for each endpoint the oldest delivery that was not over. It must
 * be called in a transaction.
 *
 * @category models
 * @since 0.1.0
 */
export const cancelManyWaiting = (
  sql: SqlClient.SqlClient,
  webhookIds: ReadonlyArray<string>
): Effect.Effect<ReadonlyMap<string, string>, SqlError.SqlError> =>
  Effect.map(
    Effect.andThen(
      lockSequences(sql, webhookIds),
      sql<OldestRow>`with waiting as (
        select id from webhook_deliveries
        where webhook_id = any(${webhookIds}::text[]) and claim_at_ms is not null
          and status in ('pending', 'retrying')
        order by id for update
      ), cancelled as (
        update webhook_deliveries
        set status = ${statusAfter(sql, "cancel")}, leased_until_ms = null, version = version + 1
        where id in (select id from waiting)
      )
      select webhook_id, min(id) as id from webhook_deliveries
      where webhook_id = any(${webhookIds}::text[]) and claim_at_ms is not null
      group by webhook_id`
    ),
    (rows) => new Map(rows.map(({ id, webhook_id }) => [webhook_id, id]))
  )
