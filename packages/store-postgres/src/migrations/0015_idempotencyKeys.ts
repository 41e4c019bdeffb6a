/**
 * Idempotency keys that were taken, and the answers that were given.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates the table. @category tables @since 0.1.0 */
export const idempotencyKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table idempotency_keys (
    scope text not null collate "C",
    key text not null collate "C",
    fingerprint text not null,
    expires_at_ms double precision not null,
    answer json,
    primary key (scope, key)
  )`
  yield* sql`create index idempotency_keys_expiring on idempotency_keys (expires_at_ms)`
})
