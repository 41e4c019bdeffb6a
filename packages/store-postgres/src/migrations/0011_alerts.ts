/**
 * Alerts, with what was seen of each beside what its owner asked for: the two change apart.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the table. @category tables @since 0.1.0 */
export const alerts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table alerts (
    id text primary key collate "C",
    account_id text not null collate "C",
    version integer not null,
    bot_id text collate "C",
    price_symbol text collate "C",
    is_enabled boolean not null,
    seen json not null,
    record json not null
  )`
  yield* sql`create index alerts_of_account on alerts (account_id, id)`
  yield* sql`create index alerts_of_bot on alerts (bot_id, id) where is_enabled`
  yield* sql`create index alerts_of_symbol on alerts (price_symbol, id) where is_enabled`
})
