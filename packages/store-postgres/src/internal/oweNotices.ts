/**
 * Notices about webhook endpoints, written down in the step that owes them.
 *
 * @since 0.1.0
 */
import type { OwedNotice } from "@candlewick/core"
import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { jsonText } from "./jsonText.ts"

/** Writes down notices that are owed from now on. @category models @since 0.1.0 */
export const oweNotices = (
  sql: SqlClient.SqlClient,
  now: Statement.Fragment,
  owed: ReadonlyArray<OwedNotice>
): Effect.Effect<void, SqlError.SqlError> => {
  const rows = owed.map((record) => ({ attempt_id: record.attempt_id, record }))
  return Effect.asVoid(
    sql`insert into webhook_notices (attempt_id, due_at_ms, record)
      select attempt_id, ${now}, record from json_to_recordset(${jsonText(rows)}::json)
        as owed (attempt_id text, record json)
      on conflict (attempt_id) do update
        set due_at_ms = excluded.due_at_ms, record = excluded.record`
  )
}
