/**
 * Values as they go into a column of JSON.
 *
 * @since 0.1.0
 */
import type { SqlClient, Statement } from "effect/sql"

/**
 * A value for a `json` column, which keeps the text as it is: the order of keys, every digit, and
 * characters that `jsonb` refuses.
 *
 * @category models
 * @since 0.1.0
 */
export const jsonOf = (sql: SqlClient.SqlClient, value: unknown): Statement.Fragment =>
  sql`${JSON.stringify(value)}::text::json`
