/**
 * The outcomes under an idempotency key, from the transaction that made them.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Adds the column. @category tables @since 0.1.0 */
export const keyedOutcomes = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`alter table idempotency_keys add column outcome text`
)
