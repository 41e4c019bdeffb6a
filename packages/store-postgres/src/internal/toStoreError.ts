/**
 * From what SQL says to what a store says.
 *
 * @since 0.1.0
 */
import { StoreError, StoreUnavailable } from "@candlewick/core"
import { Effect } from "effect"
import { SqlError } from "effect/sql"

/** What the database itself said, for the log. */
const causeOf = ({ message, reason }: SqlError.SqlError): string =>
  reason.cause instanceof Error ? `${message}: ${reason.cause.message}` : message

/**
 * A SQL error means that the store is unavailable: what callers may do wrong is asked for in the
 * statements.
 */
export const toStoreError = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError.SqlError, R>
): Effect.Effect<A, Exclude<E, SqlError.SqlError> | StoreError, R> =>
  Effect.mapError(effect, (error) =>
    error instanceof SqlError.SqlError
      ? new StoreError({ reason: new StoreUnavailable({ cause: causeOf(error) }) })
      : (error as Exclude<E, SqlError.SqlError>)
  )
