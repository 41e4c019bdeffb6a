/**
 * The owner of an event, beside the event.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Adds the account to the outbox: a record that holds U+0000 can be kept, but not be asked for a
 * field of it. Rows from before have none.
 *
 * @category tables
 * @since 0.1.0
 */
export const accountsOfEvents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table outbox add column account_id text collate "C"`
})
