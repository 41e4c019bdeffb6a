/**
 * Backtests: started, followed, cancelled and read.
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import type { Backtest, BacktestRequest } from "../domain/Backtest.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { Problem } from "../domain/Problem.ts"
import type { StoreError } from "../domain/StoreError.ts"

/**
 * Backtests of an account.
 *
 * @category services
 * @since 0.1.0
 */
export class Backtests extends Context.Service<
  Backtests,
  {
    /** Puts a run in the queue and answers at once; fails with `unknown_strategy` or `quota_exceeded`. */
    readonly start: (
      accountId: string,
      request: BacktestRequest
    ) => Effect.Effect<Backtest, Problem | StoreError>

    /** Finds one; fails with `not_found`. */
    readonly get: (accountId: string, id: string) => Effect.Effect<Backtest, Problem | StoreError>

    /** The account's backtests, newest first. */
    readonly list: (
      accountId: string,
      page: PageRequest
    ) => Effect.Effect<Page<Backtest>, StoreError>

    /** Asks a run to end; it keeps what it has. One that is over is left as it is. */
    readonly cancel: (
      accountId: string,
      id: string
    ) => Effect.Effect<Backtest, Problem | StoreError>

    /** The backtest once it is over, or as it is after `seconds`. */
    readonly wait: (
      accountId: string,
      id: string,
      seconds: number
    ) => Effect.Effect<Backtest, Problem | StoreError>
  }
>()("@candlewick/core/services/Backtests") {}
