/**
 * Which runs of an account are under way or new.
 *
 * @since 0.1.0
 */
import type { SqlClient, Statement } from "effect/sql"

/**
 * A condition for a table with `id`, `account_id` and `is_unfinished`: unfinished rows, and all
 * rows whose ids come after one. Each half has an index of its own.
 *
 * @category models
 * @since 0.1.0
 */
export const recentOf = (
  sql: SqlClient.SqlClient,
  table: string,
  accountId: string,
  after: string
): Statement.Fragment =>
  sql`id = any(array(
    select id from ${sql(table)} where is_unfinished and account_id = ${accountId}
    union select id from ${sql(table)} where account_id = ${accountId} and id > ${after}
  ))`
