/**
 * An index of the deliveries that did not succeed, which are rare among those that did.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { unsuccessful } from "../internal/deliveryRow.ts"

/** Creates the index. @category tables @since 0.1.0 */
export const unsuccessfulDeliveries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index webhook_deliveries_unsuccessful
    on webhook_deliveries (webhook_id, status, id) where ${sql.literal(unsuccessful)}`
})
