/**
 * Changes that read a record first, and begin again where another writer was quicker.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { StoreError } from "../domain/StoreError.ts"

/** More writers than that at once are a fault, not bad luck. */
const attemptsMax = 20

/** Whether another writer was quicker. */
export const isConflict = (error: unknown): boolean =>
  (error as StoreError)._tag === "StoreError" &&
  (error as StoreError).reason._tag === "VersionConflict"

/** Reads and writes again while the record has changed in between. */
export const untilKept = <A, E, R>(
  readAndWrite: Effect.Effect<A, E | StoreError, R>
): Effect.Effect<A, E | StoreError, R> =>
  Effect.retry(readAndWrite, {
    times: attemptsMax,
    while: (error) => isConflict(error)
  })
