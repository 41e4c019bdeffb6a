/**
 * Which stretches of candles the runs of an account have judged; they outlive their runs.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the table. @category tables @since 0.1.0 */
export const judgements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table judgements (
    run_id text not null collate "C",
    symbol text not null collate "C",
    account_id text not null collate "C",
    timeframe text not null collate "C",
    from_ms bigint not null,
    to_ms bigint not null,
    earlier_count integer not null,
    primary key (run_id, symbol)
  )`
  yield* sql`create index judgements_series on judgements (account_id, symbol, timeframe, to_ms)`
})
