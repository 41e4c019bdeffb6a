/**
 * The bots that are not at rest, which every process looks for every other second.
 *
 * @since 0.1.0
 */
import { restingStates } from "@candlewick/core"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the index. @category tables @since 0.1.0 */
export const activeBots = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const resting = restingStates.map((state) => `'${state}'`).join(", ")
  yield* sql`create index bots_active on bots (id) where status not in (${sql.literal(resting)})`
})
