/**
 * Replays of deliveries, and how far each is.
 *
 * @since 0.1.0
 */
import { Replay } from "@candlewick/core"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the table. @category tables @since 0.1.0 */
export const webhookReplays = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const statuses = Replay.fields.status.literals.map((status) => `'${status}'`).join(", ")
  yield* sql`create table webhook_replays (
    id text primary key collate "C",
    account_id text not null collate "C",
    webhook_id text not null collate "C",
    version integer not null,
    status text not null check (status in (${sql.literal(statuses)})),
    record json not null
  )`
  yield* sql`create index webhook_replays_of_webhook on webhook_replays (webhook_id, id)`
  yield* sql`create index webhook_replays_running on webhook_replays (id) where status = 'running'`
})
