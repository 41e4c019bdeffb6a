/**
 * From what SQL says to what a store says.
 *
 * @since 0.1.0
 */
import { StoreError, StoreUnavailable } from "@candlewick/core"
import { Effect } from "effect"
import { SqlError } from "effect/sql"

const unavailable = (cause: string): StoreError =>
  new StoreError({ reason: new StoreUnavailable({ cause }) })

/** What the database itself said, for the log. */
const causeOf = ({ message, reason }: SqlError.SqlError): string =>
  reason.cause instanceof Error ? `${message}: ${reason.cause.message}` : message

/** How long a store may leave a caller without an answer. */
const patienceMs = 15_000

/** The same for what moves a lot: whole transactions, and series of candles. */
export const longPatienceMs = 60_000

/**
 * A SQL error means that the store is unavailable, and so does silence: what callers may do wrong
 * is asked for in the statements.
 */
export const toStoreError = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError.SqlError, R>,
  waitMs = patienceMs
): Effect.Effect<A, Exclude<E, SqlError.SqlError> | StoreError, R> =>
  effect.pipe(
    Effect.mapError((error) =>
      error instanceof SqlError.SqlError
        ? unavailable(causeOf(error))
        : (error as Exclude<E, SqlError.SqlError>)
    ),
    Effect.timeoutOrElse({
      duration: waitMs,
      orElse: () => Effect.fail(unavailable(`it took longer than ${waitMs / 1000} s`))
    })
  )
