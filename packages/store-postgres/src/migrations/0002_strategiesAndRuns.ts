/**
 * Strategies, backtests and optimizations: records of an account, and whether they are under way.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the tables. @category tables @since 0.1.0 */
export const strategiesAndRuns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const name of ["strategies", "backtests", "optimizations"]) {
    yield* sql`create table ${sql(name)} (
      id text primary key collate "C",
      account_id text not null collate "C",
      is_unfinished boolean not null,
      version integer not null,
      record json not null
    )`
    yield* sql`create index ${sql(`${name}_of_account`)} on ${sql(name)} (account_id, id)`
    yield* sql`create index ${sql(`${name}_unfinished`)} on ${sql(name)} (id) where is_unfinished`
  }
})
