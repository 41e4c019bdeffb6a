/**
 * The chat that a webhook endpoint is for, with its sealed address.
 *
 * A column beside the record, so that what a process of the version before writes of an endpoint
 * leaves it as it is.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Adds the column. @category tables @since 0.1.0 */
export const webhookChats = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table webhooks add column chat json`
})
