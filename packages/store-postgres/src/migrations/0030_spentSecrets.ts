/**
 * Until when the secret before of a webhook signs, so that one that may not any more is found.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Adds the column, and says of those that have a secret before until when. */
export const spentSecrets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table webhooks add column secret_before_until text`
  // SQL can't look into JSON that has a NUL in it, but into its text.
  yield* sql`update webhooks set secret_before_until =
    substring(record::text from '"previous_secret_expires_at": *"([^"]+)"')`
  yield* sql`create index webhooks_secret_before_until on webhooks (secret_before_until)
    where secret_before_until is not null`
})
