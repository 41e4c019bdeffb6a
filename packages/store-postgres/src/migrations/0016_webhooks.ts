/**
 * Webhook endpoints and the deliveries to them.
 *
 * Rows that many write at once are narrow and apart. The number of an endpoint's last delivery is
 * held by the makers of deliveries, and an account's lane by their claimers. Neither waits for the
 * other, or for a caller who changes the endpoint.
 *
 * @since 0.1.0
 */
import { DeliveryMachine } from "@candlewick/core"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the tables. @category tables @since 0.1.0 */
export const webhooks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const statuses = DeliveryMachine.states.map((state) => `'${state}'`).join(", ")
  yield* sql`create table webhooks (
    id text primary key collate "C",
    account_id text not null collate "C",
    version integer not null,
    max_concurrency integer not null,
    health json not null,
    record json not null
  )`
  yield* sql`create index webhooks_of_account on webhooks (account_id, id)`
  yield* sql`create table webhook_sequences (
    webhook_id text primary key collate "C",
    last integer not null
  ) with (fillfactor = 50)`
  yield* sql`create table webhook_lanes (account_id text primary key collate "C")`
  yield* sql`create table webhook_deliveries (
    id text primary key collate "C",
    webhook_id text not null collate "C",
    event_id text not null collate "C",
    event text not null,
    sequence integer not null,
    status text not null check (status in (${sql.literal(statuses)})),
    due_at_ms double precision not null,
    leased_until_ms double precision,
    version integer not null,
    updated_at text not null,
    body json not null,
    record json not null,
    claim_at_ms double precision generated always as (
      case
        when status in ('pending', 'retrying') then due_at_ms
        when status = 'sending' then coalesce(leased_until_ms, due_at_ms)
      end
    ) stored,
    unique (webhook_id, event_id)
  ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05)`
  yield* sql`create index webhook_deliveries_of_webhook on webhook_deliveries (webhook_id, id)`
  yield* sql`create index webhook_deliveries_waiting
    on webhook_deliveries (webhook_id, claim_at_ms, id) where claim_at_ms is not null`
  yield* sql`create index webhook_deliveries_sending
    on webhook_deliveries (webhook_id, claim_at_ms) where status = 'sending'`
})
