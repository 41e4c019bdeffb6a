/**
 * Several statements of one method of a store.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/**
 * Runs statements in the transaction around them, or in one of their own. A caller that may fail
 * after a write needs a savepoint, which `withTransaction` would make in the first case.
 *
 * @category models
 * @since 0.1.0
 */
export const inTransaction = <A, E, R>(
  sql: SqlClient.SqlClient,
  statements: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R> =>
  Effect.flatMap(Effect.serviceOption(sql.transactionService), (around) =>
    Option.isSome(around) ? statements : sql.withTransaction(statements)
  )
