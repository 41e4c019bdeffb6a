/**
 * Marks the waiting runs that no process has begun, so that they can be counted without reading
 * them.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Adds the columns. A run under way counts as waiting until it is next written, which is when it is
 * taken up again after the upgrade.
 *
 * @category tables
 * @since 0.1.0
 */
export const queuedRuns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const name of ["strategies", "backtests", "optimizations"]) {
    const table = sql(name)
    yield* sql`alter table ${table} add column is_queued boolean not null default false`
    yield* sql`update ${table} set is_queued = true where is_unfinished`
    yield* sql`create index ${sql(`${name}_queued`)} on ${table} (id) where is_queued`
    yield* sql`create index ${sql(`${name}_queued_of_account`)} on ${table} (account_id, id)
      where is_queued`
  }
})
