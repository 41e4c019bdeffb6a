/**
 * Exchange accounts, attempts to place orders there, and facts that venues have reported.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the tables. @category tables @since 0.1.0 */
export const venueAccounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table venue_accounts (
    key text primary key collate "C",
    version integer not null,
    record json not null
  )`
  yield* sql`create table order_attempts (
    account_key text not null collate "C",
    id text not null collate "C",
    place bigint generated always as identity,
    bot_id text not null collate "C",
    client_order_id text not null collate "C",
    number integer not null,
    is_open boolean not null,
    version integer not null,
    record json not null,
    primary key (account_key, id)
  )`
  yield* sql`create index open_attempts_of_account on order_attempts (account_key, place)
    where is_open`
  yield* sql`create index attempts_of_order on order_attempts (bot_id, client_order_id, number)`
  yield* sql`create table venue_facts (
    account_key text not null collate "C",
    sequence integer not null,
    id text not null collate "C",
    bot_id text collate "C",
    record json not null,
    primary key (account_key, sequence),
    unique (account_key, id)
  )`
  yield* sql`create index facts_of_bot on venue_facts (bot_id, sequence)`
  yield* sql`create index facts_outside on venue_facts (account_key, sequence)
    where bot_id is null`
})
