/**
 * The results of runs under way, by their steps.
 *
 * Values are text: they are never asked for by what is in them, and numbers stay as they were
 * written.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the table. @category tables @since 0.1.0 */
export const runCheckpoints = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table run_checkpoints (
    run_id text not null collate "C",
    step text not null collate "C",
    value text not null,
    primary key (run_id, step)
  )`
})
