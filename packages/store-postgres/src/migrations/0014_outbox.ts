/**
 * Events that wait to be published.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the table; rows come and go, so that it is vacuumed early.
 *
 * @category tables
 * @since 0.1.0
 */
export const outbox = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table outbox (
    id text primary key collate "C",
    record json not null
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`
})
