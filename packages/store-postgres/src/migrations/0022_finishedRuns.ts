/**
 * When runs were over, so that old ones can be removed.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Adds the columns. @category tables @since 0.1.0 */
export const finishedRuns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const name of ["backtests", "optimizations"]) {
    yield* sql`alter table ${sql(name)} add column finished_ms bigint`
    yield* sql`create index ${sql(`${name}_finished`)} on ${sql(name)} (finished_ms, id)
      where finished_ms is not null`
  }
})
