/**
 * Indexes of what is rare among much: bots that are not at rest, deliveries that did not succeed.
 *
 * @since 0.1.0
 */
import { restingStates } from "@candlewick/core"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { unsuccessful } from "../internal/deliveriesOf.ts"

/** Creates the indexes. @category tables @since 0.1.0 */
export const rareRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const resting = restingStates.map((state) => `'${state}'`).join(", ")
  yield* sql`create index bots_active on bots (id) where status not in (${sql.literal(resting)})`
  yield* sql`create index webhook_deliveries_unsuccessful
    on webhook_deliveries (webhook_id, status, id) where ${sql.literal(unsuccessful)}`
})
