/**
 * Accounts and the keys that speak for them.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the tables. @category tables @since 0.1.0 */
export const accounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table accounts (
    id text primary key collate "C",
    version integer not null,
    record json not null
  )`
  yield* sql`create table api_keys (
    id text primary key collate "C",
    account_id text not null collate "C",
    lookup text not null unique collate "C",
    record json not null
  )`
  yield* sql`create index api_keys_of_account on api_keys (account_id, id)`
})
