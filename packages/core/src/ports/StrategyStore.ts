/**
 * Keeps strategies, generated and written.
 *
 * An adapter that provides `StrategyStore` must pass `StrategyStoreSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Option } from "effect"
import type { Strategy } from "../domain/Strategy.ts"
import type { StrategyPageRequest } from "../domain/listFilters.ts"
import type { Page } from "../domain/Page.ts"
import type { QueuedRequest } from "../domain/Run.ts"
import type { StoreError } from "../domain/StoreError.ts"

/**
 * Storage for strategies, each seen by its own account only and guarded against lost updates by its
 * `version`.
 *
 * @category ports
 * @since 0.1.0
 */
export class StrategyStore extends Context.Service<
  StrategyStore,
  {
    /** Adds one at version 1. Fails with `AlreadyExists` if the id is taken. */
    readonly insert: (record: Strategy) => Effect.Effect<Strategy, StoreError>

    /** Finds one of the account's by id. */
    readonly get: (
      accountId: string,
      id: string
    ) => Effect.Effect<Option.Option<Strategy>, StoreError>

    /**
     * Replaces one and returns it with the next version. Fails with `VersionConflict` if it is not
     * at `record.version` any more, and with `NotFound` if it is gone.
     */
    readonly update: (record: Strategy) => Effect.Effect<Strategy, StoreError>

    /** The account's that the filter leaves, newest first. */
    readonly list: (
      accountId: string,
      page: StrategyPageRequest
    ) => Effect.Effect<Page<Strategy>, StoreError>

    /** Removes one. Fails with `NotFound` if there is none. */
    readonly remove: (accountId: string, id: string) => Effect.Effect<void, StoreError>

    /** Every strategy of every account that is still being generated, oldest first. */
    readonly listUnfinished: Effect.Effect<ReadonlyArray<Strategy>, StoreError>

    /** The account's that are being generated, and all whose ids come after one, oldest first. */
    readonly listRecent: (
      accountId: string,
      after: string
    ) => Effect.Effect<ReadonlyArray<Strategy>, StoreError>

    /**
     * The number of waiting generations that no process has begun: they are at the step `queue`.
     */
    readonly countQueued: (request: QueuedRequest) => Effect.Effect<number, StoreError>
  }
>()("@candlewick/core/ports/StrategyStore") {}
