/**
 * Deleted bots, whose books stay readable.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the table. @category tables @since 0.1.0 */
export const archivedBots = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table archived_bots (
    id text primary key collate "C",
    account_id text not null collate "C",
    archived_at_ms bigint not null,
    record json not null,
    state json
  )`
  yield* sql`create index archived_bots_of_account on archived_bots (account_id, id)`
  yield* sql`create index archived_bots_by_age on archived_bots (archived_at_ms, id)`
})
