/**
 * Keeps webhook endpoints in SQL.
 *
 * @since 0.1.0
 */
import {
  EndpointStore,
  type EventName,
  StoreError,
  type WebhookEndpoint,
  withoutSpentSecret
} from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { endpointRecords, healthColumn, withIds } from "./internal/endpointRecords.ts"
import { inTransaction } from "./internal/inTransaction.ts"
import { jsonText } from "./internal/jsonText.ts"
import { lockSequences } from "./internal/manyDeliveries.ts"
import { statusAfter } from "./internal/statusAfter.ts"
import { toStoreError } from "./internal/toStoreError.ts"

interface Endpoints {
  readonly sql: SqlClient.SqlClient
  readonly owned: ReturnType<typeof endpointRecords>
}

const insert = Effect.fnUntraced(function* ({ owned, sql }: Endpoints, endpoint: WebhookEndpoint) {
  const kept = yield* owned.insert(endpoint)
  yield* sql`with sequences as (
      insert into webhook_sequences (webhook_id, last) values (${kept.id}, ${kept.sequence})
    )
    insert into webhook_lanes (account_id) values (${kept.account_id}) on conflict do nothing`
  return kept
})

const update = Effect.fnUntraced(function* ({ owned }: Endpoints, endpoint: WebhookEndpoint) {
  const kept = yield* owned.update(endpoint)
  // Deliveries are made and end meanwhile, so that the caller's number and health may be old.
  return Option.getOrElse(yield* owned.get(kept.account_id, kept.id), () => kept)
})

const keepHealth = Effect.fnUntraced(function* ({ sql }: Endpoints, endpoint: WebhookEndpoint) {
  yield* sql`update webhooks set health = ${healthColumn(endpoint)}
    where id = ${endpoint.id} and account_id = ${endpoint.account_id}`
  // Every maker of a delivery for the old endpoint has finished, and every later one knows the new
  // one.
  yield* lockSequences(sql, [endpoint.id])
})

const listSubscribed = Effect.fnUntraced(function* (
  { owned, sql }: Endpoints,
  accountId: string,
  event: EventName
) {
  // In one order, so that two publishers don't wait for each other.
  yield* sql`select last from webhook_sequences
    where webhook_id in (select id from webhooks where account_id = ${accountId})
    order by webhook_id for update`
  // As the last change has left them. An account has few endpoints, and SQL can't look into JSON
  // that has a NUL in it.
  const endpoints = yield* owned.listWhere(sql`account_id = ${accountId}`)
  return endpoints.filter(({ events }) => events.includes(event))
})

const remove = Effect.fnUntraced(function* ({ sql }: Endpoints, accountId: string, id: string) {
  yield* sql`select id from webhooks where id = ${id} and account_id = ${accountId} for update`
  // A maker of a delivery holds its number, so that none is missed below.
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

const eraseSpentSecrets = Effect.fnUntraced(function* (
  { owned, sql }: Endpoints,
  request: {
    readonly until: string
    readonly limit: number
  }
) {
  const { limit, until } = request
  const found = yield* owned.listWhere(
    sql`id in (select id from webhooks
      where secret_before_until <= ${until} order by secret_before_until limit ${limit})`,
    "for update"
  )
  // As the lock has found them: one may have been rotated since it was looked for.
  const spent = found.filter(({ previous_secret_expires_at: end }) => end !== null && end <= until)
  for (const endpoint of spent) {
    yield* sql`update webhooks
      set record = ${jsonText(withoutSpentSecret(endpoint))}, secret_before_until = null
      where id = ${endpoint.id}`
  }
  return spent.length
})

const make = (sql: SqlClient.SqlClient): EndpointStore["Service"] => {
  const endpoints: Endpoints = { sql, owned: endpointRecords(sql) }
  const atOnce = <A, E>(effect: Effect.Effect<A, E>) => toStoreError(inTransaction(sql, effect))
  return {
    get: endpoints.owned.get,
    getMany: (ids) => endpoints.owned.listWhere(withIds(sql, ids)),
    list: endpoints.owned.list,
    insert: (endpoint) => atOnce(insert(endpoints, endpoint)),
    update: (endpoint) => atOnce(update(endpoints, endpoint)),
    remove: (accountId, id) => atOnce(remove(endpoints, accountId, id)),
    keepHealth: (endpoint) => atOnce(keepHealth(endpoints, endpoint)),
    listSubscribed: (accountId, event) => atOnce(listSubscribed(endpoints, accountId, event)),
    eraseSpentSecrets: (request) => atOnce(eraseSpentSecrets(endpoints, request))
  }
}

/** An `EndpointStore` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(EndpointStore, Effect.map(SqlClient.SqlClient, make))
