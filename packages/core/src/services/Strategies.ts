/**
 * Strategies: generated, written by hand, read, changed and removed.
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { Problem } from "../domain/Problem.ts"
import type { StoreError } from "../domain/StoreError.ts"
import type {
  GenerateRequest,
  Strategy,
  StrategyChanges,
  StrategyRequest
} from "../domain/Strategy.ts"

/**
 * Strategies of an account.
 *
 * @category services
 * @since 0.1.0
 */
export class Strategies extends Context.Service<
  Strategies,
  {
    /** Begins a generation and answers at once with the strategy, `generating`. */
    readonly generate: (
      accountId: string,
      request: GenerateRequest
    ) => Effect.Effect<Strategy, Problem | StoreError>

    /** Keeps a strategy that was written by hand; fails with `validation_failed` and every fault. */
    readonly write: (
      accountId: string,
      request: StrategyRequest
    ) => Effect.Effect<Strategy, Problem | StoreError>

    /** Finds a strategy; fails with `not_found`. */
    readonly get: (accountId: string, id: string) => Effect.Effect<Strategy, Problem | StoreError>

    /** The account's strategies, newest first. */
    readonly list: (
      accountId: string,
      page: PageRequest
    ) => Effect.Effect<Page<Strategy>, StoreError>

    /** Changes a strategy; `version` guards against lost updates. */
    readonly update: (
      accountId: string,
      id: string,
      changes: StrategyChanges,
      version?: number
    ) => Effect.Effect<Strategy, Problem | StoreError>

    /** Removes a strategy that no bot uses; fails with `conflict` otherwise. */
    readonly remove: (accountId: string, id: string) => Effect.Effect<void, Problem | StoreError>

    /** Asks a generation to end; it keeps nothing. */
    readonly cancel: (
      accountId: string,
      id: string
    ) => Effect.Effect<Strategy, Problem | StoreError>

    /** The strategy once its generation is over, or as it is after `seconds`. */
    readonly wait: (
      accountId: string,
      id: string,
      seconds: number
    ) => Effect.Effect<Strategy, Problem | StoreError>
  }
>()("@candlewick/core/services/Strategies") {}
