/**
 * Events that were published, numbered within their account, for those who follow them.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the tables; of each account the oldest go as new ones come, so that they are vacuumed
 * early.
 *
 * @category tables
 * @since 0.1.0
 */
export const publishedEvents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table event_counts (
    account_id text primary key collate "C",
    event_count integer not null
  ) with (fillfactor = 50)`
  yield* sql`create table published_events (
    account_id text not null collate "C",
    seq integer not null,
    record json not null,
    primary key (account_id, seq)
  ) with (autovacuum_vacuum_scale_factor = 0.05)`
})
