/**
 * The exchange of a live bot, as a column: bots of one exchange account are placed together.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Migration 39. @category migrations @since 0.1.0 */
export const liveBots = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table bots add column live_exchange text collate "C"`
})
