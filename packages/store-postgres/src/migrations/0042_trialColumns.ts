/**
 * Trials of searches as columns of numbers, which go with their search.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the table. @category tables @since 0.1.0 */
export const trialColumns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table trial_columns (
    optimization_id text not null collate "C" references optimizations (id) on delete cascade,
    position integer not null,
    name text not null,
    numbers bytea not null,
    primary key (optimization_id, position)
  )`
})
