/**
 * The newest revision of each series of candles that was removed, by which the next one is counted.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the table. @category tables @since 0.1.0 */
export const removedSeries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table removed_series (
    owner text not null collate "C",
    symbol text not null collate "C",
    timeframe text not null collate "C",
    revision integer not null,
    primary key (owner, symbol, timeframe)
  )`
})
