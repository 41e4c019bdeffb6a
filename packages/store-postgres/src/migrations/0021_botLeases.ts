/**
 * Which process owns which bot.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the table. @category tables @since 0.1.0 */
export const botLeases = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table bot_leases (
    bot_id text primary key collate "C",
    owner text not null collate "C",
    until_ms bigint not null
  )`
  yield* sql`create index bot_leases_of_owner on bot_leases (owner, bot_id)`
})
