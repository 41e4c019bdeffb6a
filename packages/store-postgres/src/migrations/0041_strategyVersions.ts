/**
 * Versions of strategies, which outlive them.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the table. @category tables @since 0.1.0 */
export const strategyVersions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table strategy_versions (
    strategy_id text not null collate "C",
    version integer not null,
    account_id text not null collate "C",
    record json not null,
    primary key (strategy_id, version)
  )`
})
