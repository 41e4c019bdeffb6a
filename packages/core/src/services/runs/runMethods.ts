/**
 * Finding, listing, cancelling and awaiting runs, which every kind of run has in common.
 *
 * @since 0.1.0
 */
import { Effect, type Option } from "effect"
import type { RunPageRequest } from "../../domain/listFilters.ts"
import type { Page, PageRequest } from "../../domain/Page.ts"
import type { Problem } from "../../domain/Problem.ts"
import type { RunKind } from "../../domain/Run.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type { Runs } from "./Runs.ts"
import { required } from "../refusals.ts"

/** Where a kind of run is kept. */
export interface RunStore<Record, Asked extends PageRequest = RunPageRequest> {
  readonly get: (accountId: string, id: string) => Effect.Effect<Option.Option<Record>, StoreError>
  readonly list: (accountId: string, page: Asked) => Effect.Effect<Page<Record>, StoreError>
}

/** The facts that the methods need of a kind of run. */
export interface RunMethodsOptions<Record, Asked extends PageRequest = RunPageRequest> {
  readonly kind: RunKind
  readonly thing: string
  readonly runs: Runs["Service"]
  readonly store: RunStore<Record, Asked>
  /** A record with the step and the progress of its run. */
  readonly live: (record: Record) => Effect.Effect<Record, StoreError>
  readonly isOver: (record: Record) => boolean
}

/** Makes the methods. */
export const runMethods = <Record, Asked extends PageRequest = RunPageRequest>(
  options: RunMethodsOptions<Record, Asked>
) => {
  const { isOver, kind, live, runs, store, thing } = options
  const get = (accountId: string, id: string): Effect.Effect<Record, Problem | StoreError> =>
    Effect.flatMap(required(store.get(accountId, id), thing, id), live)
  return {
    get,
    list: Effect.fnUntraced(function* (accountId: string, page: Asked) {
      const { items, next } = yield* store.list(accountId, page)
      return { items: yield* Effect.forEach(items, live), next }
    }),
    cancel: Effect.fnUntraced(function* (accountId: string, id: string) {
      const record = yield* get(accountId, id)
      if (!isOver(record)) yield* runs.cancel(kind, { id, accountId })
      return yield* get(accountId, id)
    }),
    wait: (accountId: string, id: string, seconds: number) =>
      get(accountId, id).pipe(
        Effect.flatMap((record) =>
          isOver(record)
            ? Effect.succeed(record)
            : Effect.andThen(
                runs.wait(id, seconds, Effect.map(get(accountId, id), isOver)),
                get(accountId, id)
              )
        )
      )
  }
}
