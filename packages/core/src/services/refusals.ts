/**
 * The refusals of services where a store finds nothing, or finds it changed.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import { type Problem, problem } from "../domain/Problem.ts"
import type { StoreError } from "../domain/StoreError.ts"
import { isConflict } from "./untilKept.ts"

const retriesMax = 5

/** Finds a record that must be there; fails with `not_found` otherwise. */
export const required = <A, E>(
  found: Effect.Effect<Option.Option<A>, E>,
  thing: string,
  id: string
): Effect.Effect<A, E | Problem> =>
  Effect.flatMap(
    found,
    Option.match({
      onNone: () => Effect.fail(problem("not_found", `The ${thing} ${id} does not exist.`)),
      onSome: Effect.succeed
    })
  )

/** Fails with `precondition_failed` where a caller named a version and it is another one by now. */
export const checkVersion = (
  record: { readonly id: string; readonly version: number },
  version: number | undefined
): Effect.Effect<void, Problem> =>
  version === undefined || version === record.version ? Effect.void : Effect.fail(stale(record.id))

/**
 * Runs a read-and-replace again where someone else wrote in between. A caller that named a version
 * gets `precondition_failed` instead; anyone gets `not_found` where it is gone.
 */
export const replacing = <A>(
  change: Effect.Effect<A, Problem | StoreError>,
  thing: string,
  id: string,
  version?: number
): Effect.Effect<A, Problem | StoreError> =>
  change.pipe(
    Effect.retry({
      times: version === undefined ? retriesMax : 0,
      while: isConflict
    }),
    Effect.catchReasons("StoreError", {
      NotFound: () => Effect.fail(problem("not_found", `The ${thing} ${id} does not exist.`)),
      VersionConflict: () =>
        Effect.fail(
          version === undefined
            ? problem(
                "conflict",
                `Another request changed the ${thing} ${id} first. Read it again and repeat.`
              )
            : stale(id)
        )
    })
  )

const stale = (id: string): Problem =>
  problem("precondition_failed", `${id} changed since the named version. Read it again and repeat.`)
