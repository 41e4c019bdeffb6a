/**
 * Keeps optimizations and their results.
 *
 * An adapter that provides `OptimizationStore` must pass `OptimizationStoreSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Option } from "effect"
import type { Optimization } from "../domain/Optimization.ts"
import type { RunPageRequest } from "../domain/listFilters.ts"
import type { Page } from "../domain/Page.ts"
import type { QueuedRequest } from "../domain/Run.ts"
import type { StoreError } from "../domain/StoreError.ts"

/**
 * Storage for optimizations, each seen by its own account only and guarded against lost updates by
 * its `version`.
 *
 * @category ports
 * @since 0.1.0
 */
export class OptimizationStore extends Context.Service<
  OptimizationStore,
  {
    /** Adds one at version 1. Fails with `AlreadyExists` if the id is taken. */
    readonly insert: (record: Optimization) => Effect.Effect<Optimization, StoreError>

    /** Finds one of the account's by id. */
    readonly get: (
      accountId: string,
      id: string
    ) => Effect.Effect<Option.Option<Optimization>, StoreError>

    /**
     * Replaces one and returns it with the next version. Fails with `VersionConflict` if it is not
     * at `record.version` any more, and with `NotFound` if it is gone.
     */
    readonly update: (record: Optimization) => Effect.Effect<Optimization, StoreError>

    /** The account's that the filter leaves, newest first. */
    readonly list: (
      accountId: string,
      page: RunPageRequest
    ) => Effect.Effect<Page<Optimization>, StoreError>

    /** Every optimization of every account that is not finished, oldest first. */
    readonly listUnfinished: Effect.Effect<ReadonlyArray<Optimization>, StoreError>

    /** The account's that are not finished, and all whose ids come after one, oldest first. */
    readonly listRecent: (
      accountId: string,
      after: string
    ) => Effect.Effect<ReadonlyArray<Optimization>, StoreError>

    /** The number of waiting optimizations that no process has begun. */
    readonly countQueued: (request: QueuedRequest) => Effect.Effect<number, StoreError>

    /**
     * Removes up to `limit` optimizations of all accounts that finished before a time, the earliest
     * first. Returns their number.
     */
    readonly removeFinished: (request: {
      readonly beforeMs: number
      readonly limit: number
    }) => Effect.Effect<number, StoreError>
  }
>()("@candlewick/core/ports/OptimizationStore") {}
