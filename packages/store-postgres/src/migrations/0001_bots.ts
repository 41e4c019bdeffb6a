/**
 * Bots and their states.
 *
 * The record is kept whole as JSON; what is asked for is a column beside it.
 *
 * @since 0.1.0
 */
import { BotMachine } from "@candlewick/core"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Creates the tables; the statuses that are allowed are those of the state table.
 *
 * @category tables
 * @since 0.1.0
 */
export const bots = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const statuses = BotMachine.states.map((state) => `'${state}'`).join(", ")
  yield* sql`create table bots (
    id text primary key collate "C",
    account_id text not null collate "C",
    status text not null check (status in (${sql.literal(statuses)})),
    version integer not null,
    record json not null
  )`
  yield* sql`create index bots_of_account on bots (account_id, id)`
  yield* sql`create table bot_states (
    bot_id text primary key collate "C",
    cursor bigint,
    version integer not null,
    snapshot json not null
  )`
})
