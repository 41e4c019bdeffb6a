/**
 * Bots are placed by shards, which have tables of their own.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Drops the leases of bots. @category tables @since 0.1.0 */
export const placedBots = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`drop table bot_leases`
})
