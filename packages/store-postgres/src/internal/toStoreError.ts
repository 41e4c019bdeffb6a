/**
 * Makes a store's error of an error of SQL.
 *
 * @since 0.1.0
 */
import {
  ContentRefused,
  StoreDamage,
  StoreDamaged,
  StoreError,
  StoreUnavailable
} from "@candlewick/core"
import { Deferred, Effect } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { orGiveUp, undoMs } from "./orGiveUp.ts"

const unavailable = (cause: string): StoreError =>
  new StoreError({ reason: new StoreUnavailable({ cause }) })

/** The message of the database itself, for the log. */
const causeOf = ({ message, reason }: SqlError.SqlError): string =>
  reason.cause instanceof Error ? `${message}: ${reason.cause.message}` : message

/**
 * The classes of SQLSTATE that speak of the content: a value that its column can't hold, and one
 * that breaks a constraint. The last is beyond a limit of the database, as a key too long for its
 * index. All others, those of connections, locks, room and rights among them, may pass without a
 * change to it.
 */
const contentClasses: ReadonlyArray<unknown> = ["22", "23", "54"]

/** A damaged page, a damaged index, and a file that is gone. Room and reading may come back. */
const damageCodes: ReadonlyArray<unknown> = ["XX001", "XX002", "58P01"]

const codeOf = ({ reason: { cause } }: SqlError.SqlError): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""

const refusalOf = (error: SqlError.SqlError): StoreError => {
  const [code, cause] = [codeOf(error), causeOf(error)]
  if (damageCodes.includes(code)) return new StoreError({ reason: new StoreDamaged({ cause }) })
  return contentClasses.includes(code.slice(0, 2))
    ? new StoreError({ reason: new ContentRefused({ cause }) })
    : unavailable(cause)
}

/** Fails with a refusal. The whole process learns of damage, and not only the caller. */
const refuse = (error: SqlError.SqlError): Effect.Effect<never, StoreError> => {
  const refusal = refusalOf(error)
  if (!refusal.isDamage) return Effect.fail(refusal)
  return Effect.flatMap(StoreDamage, ({ note }) =>
    Effect.andThen(note(causeOf(error)), Effect.fail(refusal))
  )
}

/** A rollback on a connection that is gone is a defect to the client; to callers it is the same. */
const ofStore = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError.SqlError, R>
): Effect.Effect<A, Exclude<E, SqlError.SqlError> | StoreError, R> =>
  effect.pipe(
    Effect.catch((error): Effect.Effect<never, Exclude<E, SqlError.SqlError> | StoreError> =>
      error instanceof SqlError.SqlError
        ? refuse(error)
        : Effect.fail(error as Exclude<E, SqlError.SqlError>)
    ),
    Effect.catchDefect((defect) => {
      if (defect instanceof SqlError.SqlError) return refuse(defect)
      return defect instanceof StoreError ? Effect.fail(defect) : Effect.die(defect)
    })
  )

/** How long a store may leave a caller without an answer. */
const patienceMs = 15_000

/** The same for large work: whole transactions, and series of candles. */
export const longPatienceMs = 60_000

const failAfter = (waitMs: number): Effect.Effect<never, StoreError> =>
  // Every statement asks for it, and hardly any fails: the error is made where one does.
  Effect.flatMap(Effect.sleep(waitMs), () =>
    Effect.fail(unavailable(`it took longer than ${waitMs / 1000} s`))
  )

/**
 * A SQL error means that the store refuses the content or is unavailable, and silence means the
 * latter. Statements ask for all other faults of callers.
 */
export const toStoreError = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError.SqlError, R>,
  waitMs = patienceMs
): Effect.Effect<A, Exclude<E, SqlError.SqlError> | StoreError, R> =>
  orGiveUp(ofStore(effect), failAfter(waitMs))

/**
 * The same for a transaction. Its beginning and its end take no longer than one statement each. A
 * caller that has failed does not wait for a rollback behind a disk that hangs. An inner
 * transaction that was given up is still undone later. A caller that catches the failure must not
 * write on in the outer one.
 */
export const transactionOf =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(
    work: Effect.Effect<A, E, R>
  ): Effect.Effect<A, Exclude<E, SqlError.SqlError> | StoreError, R> =>
    Effect.suspend(() => {
      const begun = Deferred.makeUnsafe<void>()
      const over = Deferred.makeUnsafe<A, E>()
      const told = Effect.andThen(
        Deferred.succeed(begun, undefined),
        Effect.onExit(work, (exit) => Deferred.done(over, exit))
      )
      const afterWork = Effect.matchCauseEffect(Deferred.await(over), {
        onSuccess: () => failAfter(patienceMs),
        onFailure: (cause) => Effect.andThen(Effect.sleep(undoMs), Effect.failCause(cause))
      })
      const giveUp = Effect.andThen(
        Effect.raceFirst(Deferred.await(begun), failAfter(patienceMs)),
        Effect.raceFirst(failAfter(longPatienceMs), ofStore(afterWork))
      )
      return orGiveUp(ofStore(sql.withTransaction(told)), giveUp)
    })
