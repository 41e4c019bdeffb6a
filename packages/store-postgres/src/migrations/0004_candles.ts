/**
 * Candles as chunks of columns, and the markets they are of.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the tables. @category tables @since 0.1.0 */
export const candleTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table markets (
    symbol text primary key collate "C",
    record json not null
  )`
  yield* sql`create table candle_series (
    symbol text not null collate "C",
    timeframe text not null collate "C",
    record json not null,
    primary key (symbol, timeframe)
  )`
  yield* sql`create table candle_chunks (
    symbol text not null collate "C",
    timeframe text not null collate "C",
    starts_ms bigint not null,
    first_ms bigint not null,
    last_ms bigint not null,
    candle_count integer not null,
    layout smallint not null,
    checksum bytea not null,
    columns bytea not null,
    primary key (symbol, timeframe, starts_ms),
    foreign key (symbol, timeframe) references candle_series on delete cascade
  )`
  // Prices hardly shrink, and to try costs more time than to write them.
  yield* sql`alter table candle_chunks alter column columns set storage external`
})
