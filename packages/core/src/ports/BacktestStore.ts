/**
 * Keeps backtests and their results.
 *
 * An adapter that provides `BacktestStore` must pass `BacktestStoreSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Option } from "effect"
import type { Backtest } from "../domain/Backtest.ts"
import type { RunPageRequest } from "../domain/listFilters.ts"
import type { Page } from "../domain/Page.ts"
import type { QueuedRequest } from "../domain/Run.ts"
import type { StoreError } from "../domain/StoreError.ts"

/**
 * Storage for backtests, each seen by its own account only and guarded against lost updates by its
 * `version`.
 *
 * @category ports
 * @since 0.1.0
 */
export class BacktestStore extends Context.Service<
  BacktestStore,
  {
    /** Adds one at version 1. Fails with `AlreadyExists` if the id is taken. */
    readonly insert: (record: Backtest) => Effect.Effect<Backtest, StoreError>

    /** Finds one of the account's by id. */
    readonly get: (
      accountId: string,
      id: string
    ) => Effect.Effect<Option.Option<Backtest>, StoreError>

    /**
     * Replaces one and returns it with the next version. Fails with `VersionConflict` if it is not
     * at `record.version` any more, and with `NotFound` if it is gone.
     */
    readonly update: (record: Backtest) => Effect.Effect<Backtest, StoreError>

    /** The account's that the filter leaves, newest first. */
    readonly list: (
      accountId: string,
      page: RunPageRequest
    ) => Effect.Effect<Page<Backtest>, StoreError>

    /** Every backtest of every account that is not finished, oldest first. */
    readonly listUnfinished: Effect.Effect<ReadonlyArray<Backtest>, StoreError>

    /** The account's that are not finished, and all whose ids come after one, oldest first. */
    readonly listRecent: (
      accountId: string,
      after: string
    ) => Effect.Effect<ReadonlyArray<Backtest>, StoreError>

    /** The number of waiting backtests that no process has begun. */
    readonly countQueued: (request: QueuedRequest) => Effect.Effect<number, StoreError>

    /**
     * Removes up to `limit` backtests of all accounts that finished before a time, the earliest
     * first. Returns their number.
     */
    readonly removeFinished: (request: {
      readonly beforeMs: number
      readonly limit: number
    }) => Effect.Effect<number, StoreError>
  }
>()("@candlewick/core/ports/BacktestStore") {}
