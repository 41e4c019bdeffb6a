/**
 * Webhook endpoints and the deliveries to them, in SQL.
 *
 * @since 0.1.0
 */
import {
  allMissing,
  type DeliveryOutcome,
  endpointHealth,
  type EventName,
  foldOutcomes,
  StoreError,
  WebhookEndpoint,
  WebhookStore,
  withoutSpentSecret
} from "@candlewick/core"
import { Effect, Layer, Option, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { claimDeliveries, waitingEndpoints } from "./internal/claimDeliveries.ts"
import { decoderOf } from "./internal/decoderOf.ts"
import { deliveriesOf } from "./internal/deliveriesOf.ts"
import { inTransaction } from "./internal/inTransaction.ts"
import { jsonText } from "./internal/jsonText.ts"
import { cancelWaiting, lockSequences, updateDeliveries } from "./internal/manyDeliveries.ts"
import { noticesOf, oweNotices } from "./internal/noticesOf.ts"
import { ownedRecords } from "./internal/ownedRecords.ts"
import { replaysOf } from "./internal/replaysOf.ts"
import { statusAfter } from "./internal/statusAfter.ts"
import { toStoreError } from "./internal/toStoreError.ts"

const decode = decoderOf(WebhookEndpoint)
const Fields = Schema.Record(Schema.String, Schema.Json)
const decodeRow = Schema.decodeUnknownSync(
  Schema.Tuple([Fields, Fields, Schema.Int, Schema.String])
)

/** What is kept without a new version: it takes the place of what the record says. */
const healthOf = (endpoint: WebhookEndpoint) => jsonText(Struct.pick(endpoint, endpointHealth))

/** A `WebhookStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  WebhookStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    WebhookStore.of({
      ...endpointsOf(sql),
      ...deliveriesOf(sql),
      ...replaysOf(sql),
      ...noticesOf(sql),
      claim: (request) => toStoreError(inTransaction(sql, claimDeliveries(sql, request))),
      nextDueAt: nextDueAt(sql)
    })
  )
)

function endpointsOf(
  sql: SqlClient.SqlClient
): Pick<
  WebhookStore["Service"],
  | "insert"
  | "get"
  | "getMany"
  | "update"
  | "keepHealth"
  | "keepOutcomes"
  | "remove"
  | "list"
  | "listSubscribed"
  | "eraseSpentSecrets"
> {
  const owned = ownedRecords<WebhookEndpoint>(sql, {
    entity: "webhook",
    table: "webhooks",
    read: `json_build_array(record, health,
      (select last from webhook_sequences where webhook_id = webhooks.id), payload)`,
    decode: (row) => {
      const [record, health, sequence, payload] = decodeRow(row)
      // What an older version wrote has less in it.
      return decode({
        ...record,
        held_until: null,
        repaired_at: null,
        missed_since: null,
        ...health,
        sequence,
        payload
      })
    },
    columns: (endpoint) => ({
      max_concurrency: endpoint.max_concurrency,
      payload: endpoint.payload,
      secret_before_until: endpoint.previous_secret_expires_at
    }),
    firstColumns: (endpoint) => ({ health: healthOf(endpoint) })
  })

  const insert = Effect.fnUntraced(function* (endpoint: WebhookEndpoint) {
    const kept = yield* owned.insert(endpoint)
    yield* sql`with sequences as (
        insert into webhook_sequences (webhook_id, last) values (${kept.id}, ${kept.sequence})
      )
      insert into webhook_lanes (account_id) values (${kept.account_id}) on conflict do nothing`
    return kept
  })

  const update = Effect.fnUntraced(function* (endpoint: WebhookEndpoint) {
    const kept = yield* owned.update(endpoint)
    // Deliveries are made and end meanwhile, so that the caller's number and health may be old.
    return Option.getOrElse(yield* owned.get(kept.account_id, kept.id), () => kept)
  })

  const keepHealth = Effect.fnUntraced(function* (endpoint: WebhookEndpoint) {
    yield* sql`update webhooks set health = ${healthOf(endpoint)}
      where id = ${endpoint.id} and account_id = ${endpoint.account_id}`
    // Who made a delivery for it as it was has done so, and who makes one from now on knows.
    yield* lockSequences(sql, [endpoint.id])
  })

  const listSubscribed = Effect.fnUntraced(function* (accountId: string, event: EventName) {
    // In one order, so that two who publish don't wait for each other.
    yield* sql`select last from webhook_sequences
      where webhook_id in (select id from webhooks where account_id = ${accountId})
      order by webhook_id for update`
    // As whoever was changing them has left them. An account has few endpoints, and SQL can't look
    // into JSON that has a NUL in it.
    const endpoints = yield* owned.listWhere(sql`account_id = ${accountId}`)
    return endpoints.filter(({ events }) => events.includes(event))
  })

  const remove = Effect.fnUntraced(function* (accountId: string, id: string) {
    yield* sql`select id from webhooks where id = ${id} and account_id = ${accountId} for update`
    // Whoever makes a delivery holds its number, so that none is missed below.
    yield* lockSequences(sql, [id])
    const removed = yield* sql`with gone as (
        delete from webhooks where id = ${id} and account_id = ${accountId} returning id
      ), sequences as (
        delete from webhook_sequences where webhook_id in (select id from gone)
      ), waiting as (
        select id from webhook_deliveries
        where webhook_id in (select id from gone) and claim_at_ms is not null
        order by id for update
      ), cancelled as (
        update webhook_deliveries
        set status = ${statusAfter(sql, "cancel")}, leased_until_ms = null, version = version + 1
        where id in (select id from waiting) and claim_at_ms is not null
      )
      select id from gone`
    if (removed.length === 0) return yield* StoreError.notFound("webhook", id)
  })

  const withIds = (ids: ReadonlyArray<string>) => sql`id = any(${ids}::text[])`

  const keepOutcomes = Effect.fnUntraced(function* (outcomes: ReadonlyArray<DeliveryOutcome>) {
    const ids = [...new Set(outcomes.map(({ delivery }) => delivery.webhook_id))]
    // Locked, so that each is judged from what those before have left.
    const locked = yield* owned.listWhere(withIds(ids), "for update")
    const evidence = new Map(outcomes.map((outcome) => [outcome.delivery.id, outcome.evidence]))
    const kept = yield* updateDeliveries(
      sql,
      outcomes.map(({ delivery }) => delivery)
    )
    const { cancelled, endpoints, notices } = foldOutcomes(
      locked,
      kept.map((delivery) => ({ delivery, evidence: evidence.get(delivery.id)! }))
    )
    const oldest = cancelled.length === 0 ? new Map() : yield* cancelWaiting(sql, cancelled)
    if (notices.length > 0) yield* oweNotices(sql, notices)
    const judged = allMissing(endpoints, oldest).map((one) => ({
      id: one.id,
      health: healthOf(one)
    }))
    yield* sql`update webhooks set health = judged.health::json
      from json_to_recordset(${jsonText(judged)}::json) as judged (id text, health text)
      where webhooks.id = judged.id`
    return kept
  })

  const eraseSpentSecrets = Effect.fnUntraced(function* (request: {
    readonly until: string
    readonly limit: number
  }) {
    const { limit, until } = request
    const found = yield* owned.listWhere(
      sql`id in (select id from webhooks
        where secret_before_until <= ${until} order by secret_before_until limit ${limit})`,
      "for update"
    )
    // As the lock has found them: one may have been rotated since it was looked for.
    const spent = found.filter(
      ({ previous_secret_expires_at: end }) => end !== null && end <= until
    )
    for (const endpoint of spent) {
      yield* sql`update webhooks
        set record = ${jsonText(withoutSpentSecret(endpoint))}, secret_before_until = null
        where id = ${endpoint.id}`
    }
    return spent.length
  })

  return {
    get: owned.get,
    getMany: (ids) => owned.listWhere(withIds(ids)),
    keepOutcomes: (outcomes) =>
      outcomes.length === 0
        ? Effect.succeed([])
        : toStoreError(inTransaction(sql, keepOutcomes(outcomes))),
    list: owned.list,
    insert: (endpoint) => toStoreError(inTransaction(sql, insert(endpoint))),
    update: (endpoint) => toStoreError(inTransaction(sql, update(endpoint))),
    remove: (accountId, id) => toStoreError(inTransaction(sql, remove(accountId, id))),
    keepHealth: (endpoint) => toStoreError(inTransaction(sql, keepHealth(endpoint))),
    listSubscribed: (accountId, event) =>
      toStoreError(inTransaction(sql, listSubscribed(accountId, event))),
    eraseSpentSecrets: (request) => toStoreError(inTransaction(sql, eraseSpentSecrets(request)))
  }
}

interface DueRow {
  readonly at: number | null
}

function nextDueAt(sql: SqlClient.SqlClient): WebhookStore["Service"]["nextDueAt"] {
  const due = sql<DueRow>`with recursive ${waitingEndpoints(sql)}
    select min(first.claim_at_ms) as at from waiting
    cross join lateral (
      select claim_at_ms from webhook_deliveries
      where webhook_id = waiting.webhook_id and claim_at_ms is not null
      order by claim_at_ms limit 1
    ) first`
  return toStoreError(Effect.map(due, ([row]) => Option.fromNullishOr(row?.at)))
}
