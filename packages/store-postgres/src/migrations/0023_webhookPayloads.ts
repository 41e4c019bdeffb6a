/**
 * Which envelope a webhook endpoint gets.
 *
 * A column beside the record, so that an endpoint that was registered before has the default. An
 * endpoint that a process of the version before writes meanwhile has it too.
 *
 * @since 0.1.0
 */
import { PayloadForm } from "@candlewick/core"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Adds the column. @category tables @since 0.1.0 */
export const webhookPayloads = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const forms = PayloadForm.literals.map((form) => `'${form}'`).join(", ")
  yield* sql`alter table webhooks add column payload text not null default 'plain'
    check (payload in (${sql.literal(forms)}))`
})
