/**
 * When each key was used, beside what it may do: the two change apart.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Adds the column, with what the keys say. */
export const usedKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table api_keys add column last_used_at text collate "C"`
  // SQL can't look into JSON that has a NUL in it, but into its text.
  yield* sql`update api_keys set last_used_at =
    substring(record::text from '"last_used_at": *"([^"]+)"')`
})
