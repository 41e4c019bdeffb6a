/**
 * The accounts of the paper broker.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the table. @category tables @since 0.1.0 */
export const paperAccounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table paper_accounts (
    bot_id text primary key collate "C",
    snapshot json not null
  )`
})
