/**
 * The records of bots: log lines, numbered within a bot, and equity at each candle.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the tables. @category tables @since 0.1.0 */
export const botJournal = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table bot_log_counts (
    bot_id text primary key collate "C",
    line_count integer not null
  )`
  yield* sql`create table bot_logs (
    bot_id text not null collate "C",
    seq integer not null,
    level smallint not null,
    at_ms bigint not null,
    record json not null,
    primary key (bot_id, seq)
  )`
  yield* sql`create table bot_equity (
    bot_id text not null collate "C",
    at_ms bigint not null,
    time text not null,
    equity double precision not null,
    primary key (bot_id, at_ms)
  )`
})
