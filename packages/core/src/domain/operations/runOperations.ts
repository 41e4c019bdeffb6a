/**
 * The operations on runs: backtests, optimizations, and generations of strategies.
 *
 * Each names its scopes and its arguments. A start makes a queued run, and `RunMachine` moves it
 * from there.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { type Backtest, BacktestRequest } from "../Backtest.ts"
import {
  ApplyRequest,
  type Optimization,
  OptimizeRequest,
  type TrialDetails,
  TrialOrder,
  type TrialsRequest,
  type TrialTable
} from "../Optimization.ts"
import {
  runFilter,
  type RunPageRequest,
  strategyFilter,
  type StrategyPageRequest,
  versionFilter,
  type VersionPageRequest
} from "../listFilters.ts"
import type { Page } from "../Page.ts"
import {
  GenerateRequest,
  type Strategy,
  StrategyChanges,
  type StrategyCheck,
  StrategyRequest
} from "../Strategy.ts"
import type { StrategyVersion } from "../StrategyVersion.ts"
import { body, filteredPage, given, id, operation, pageArgument, version } from "./Operation.ts"

const seconds = given(
  "seconds",
  Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 86_400 }))
)

/** The operations that every kind of run has. */
const followed = <Record>() => ({
  /**
   * Asks a run to end and keeps its results so far; a generation keeps nothing. A finished run does
   * not change.
   */
  cancel: operation<(id: string) => Record>()({ scopes: ["strategies:run"], takes: [id] }),
  /** The record once its run is over, or as it is after `seconds`. */
  wait: operation<(id: string, seconds: number) => Record>()({
    scopes: ["strategies:read"],
    takes: [id, seconds]
  })
})

/** The operations on backtests. @category tables @since 0.1.0 */
export const backtestOperations = {
  ...followed<Backtest>(),
  /** The account's records that the filter leaves, newest first. */
  list: operation<(page: RunPageRequest) => Page<Backtest>>()({
    scopes: ["strategies:read"],
    takes: [filteredPage(runFilter)]
  }),
  /**
   * Puts a run in the queue and answers at once; fails with `unknown_strategy` or `quota_exceeded`.
   */
  start: operation<(request: BacktestRequest) => Backtest>()({
    scopes: ["strategies:run"],
    takes: [body(BacktestRequest)]
  }),
  /** Finds one; fails with `not_found`. */
  get: operation<(id: string) => Backtest>()({ scopes: ["strategies:read"], takes: [id] })
}

/** The operations on optimizations. @category tables @since 0.1.0 */
export const optimizationOperations = {
  ...followed<Optimization>(),
  /** The account's records that the filter leaves, newest first. */
  list: operation<(page: RunPageRequest) => Page<Optimization>>()({
    scopes: ["strategies:read"],
    takes: [filteredPage(runFilter)]
  }),
  /**
   * Puts a run in the queue and answers at once; fails with `unknown_strategy` or `quota_exceeded`.
   */
  start: operation<(request: OptimizeRequest) => Optimization>()({
    scopes: ["strategies:run"],
    takes: [body(OptimizeRequest)]
  }),
  /** Finds one; fails with `not_found`. */
  get: operation<(id: string) => Optimization>()({ scopes: ["strategies:read"], takes: [id] }),
  /** The trials of a search that is over, best first or by a column; none before its end. */
  trials: operation<(id: string, page: TrialsRequest) => Page<TrialDetails>>()({
    scopes: ["strategies:read"],
    takes: [id, pageArgument(TrialOrder.fields)]
  }),
  /** All of them as one table. */
  trialTable: operation<(id: string, order: TrialOrder) => TrialTable>()({
    scopes: ["strategies:read"],
    takes: [id, given("order", TrialOrder)]
  })
}

/** The operations on strategies. @category tables @since 0.1.0 */
export const strategyOperations = {
  ...followed<Strategy>(),
  /** The account's strategies that the filter leaves, newest first. */
  list: operation<(page: StrategyPageRequest) => Page<Strategy>>()({
    scopes: ["strategies:read"],
    takes: [filteredPage(strategyFilter)]
  }),
  /** Begins a generation and answers at once with the strategy, `generating`. */
  generate: operation<(request: GenerateRequest) => Strategy>()({
    scopes: ["strategies:run"],
    takes: [body(GenerateRequest)]
  }),
  /** Keeps a strategy that was written by hand; fails with `validation_failed` and every fault. */
  write: operation<(request: StrategyRequest) => Strategy>()({
    scopes: ["strategies:write"],
    takes: [body(StrategyRequest)],
    isVersioned: true
  }),
  /** Describes a strategy in sentences, and keeps nothing; fails as `write` does. */
  check: operation<(request: StrategyRequest) => StrategyCheck>()({
    scopes: ["strategies:read"],
    takes: [body(StrategyRequest)]
  }),
  /** Finds a strategy; fails with `not_found`. */
  get: operation<(id: string) => Strategy>()({
    scopes: ["strategies:read"],
    takes: [id],
    isVersioned: true
  }),
  /** Changes a strategy; `version` guards against lost updates. */
  update: operation<(id: string, changes: StrategyChanges, version?: number) => Strategy>()({
    scopes: ["strategies:write"],
    takes: [id, body(StrategyChanges), version],
    isVersioned: true
  }),
  /**
   * Makes the parameters of a trial the defaults of the strategy that was searched, as its next
   * version. The rules come from the version that was searched.
   */
  apply: operation<(optimizationId: string, request: ApplyRequest) => Strategy>()({
    scopes: ["strategies:write"],
    takes: [id, body(ApplyRequest)],
    isVersioned: true
  }),
  /** Every version of a strategy, newest first; they outlive it. */
  versions: operation<(id: string, page: VersionPageRequest) => Page<StrategyVersion>>()({
    scopes: ["strategies:read"],
    takes: [id, filteredPage(versionFilter)]
  }),
  /** One version of a strategy by its number; fails with `not_found`. */
  version: operation<(id: string, number: number) => StrategyVersion>()({
    scopes: ["strategies:read"],
    takes: [id, given("number", Schema.Int)]
  }),
  /** Removes a strategy that no bot uses; fails with `in_use` otherwise. */
  remove: operation<(id: string) => void>()({ scopes: ["strategies:write"], takes: [id] })
}
