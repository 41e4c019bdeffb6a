/**
 * The notices about webhook endpoints that are owed, and the samples that wait.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the table, and the index that finds samples among what waits.
 *
 * @category tables
 * @since 0.1.0
 */
export const webhookNotices = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table webhook_notices (
    attempt_id text primary key collate "C",
    due_at_ms double precision not null,
    record json not null
  )`
  yield* sql`create index webhook_notices_due on webhook_notices (due_at_ms)`
  yield* sql`alter table webhook_deliveries add column is_sample boolean not null default false`
  yield* sql`update webhook_deliveries set is_sample = true
    where claim_at_ms is not null and starts_with(event_id, 'msg_test_')`
  yield* sql`create index webhook_deliveries_samples
    on webhook_deliveries (webhook_id, claim_at_ms, id) where claim_at_ms is not null and is_sample`
})
