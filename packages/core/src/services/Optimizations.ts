/**
 * Optimizations: started, followed, cancelled and read.
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import type { Optimization, OptimizeRequest } from "../domain/Optimization.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { Problem } from "../domain/Problem.ts"
import type { StoreError } from "../domain/StoreError.ts"

/**
 * Optimizations of an account.
 *
 * @category services
 * @since 0.1.0
 */
export class Optimizations extends Context.Service<
  Optimizations,
  {
    /** Puts a run in the queue and answers at once; fails with `unknown_strategy` or `quota_exceeded`. */
    readonly start: (
      accountId: string,
      request: OptimizeRequest
    ) => Effect.Effect<Optimization, Problem | StoreError>

    /** Finds one; fails with `not_found`. */
    readonly get: (
      accountId: string,
      id: string
    ) => Effect.Effect<Optimization, Problem | StoreError>

    /** The account's optimizations, newest first. */
    readonly list: (
      accountId: string,
      page: PageRequest
    ) => Effect.Effect<Page<Optimization>, StoreError>

    /** Asks a run to end; it keeps what it has. One that is over is left as it is. */
    readonly cancel: (
      accountId: string,
      id: string
    ) => Effect.Effect<Optimization, Problem | StoreError>

    /** The optimization once it is over, or as it is after `seconds`. */
    readonly wait: (
      accountId: string,
      id: string,
      seconds: number
    ) => Effect.Effect<Optimization, Problem | StoreError>
  }
>()("@candlewick/core/services/Optimizations") {}
