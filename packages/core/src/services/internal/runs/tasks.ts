/**
 * What worker threads compute: backtests, trials, candidates and random entries, as plain values in and out.
 *
 * Everything here is pure: the same task gives the same result on any thread.
 *
 * @since 0.1.0
 */
import {
  measureAll,
  type MeasuredMetrics,
  measureOne,
  objectiveScore,
  toMeasurement
} from "../../../domain/Metric.ts"
import type { Objective } from "../../../domain/Objective.ts"
import type { ParameterValues } from "../../../domain/Parameter.ts"
import type { StrategyDefinition } from "../../../domain/StrategyDefinition.ts"
import type { Timeframe } from "../../../domain/Timeframe.ts"
import { timeframeMs } from "../../../domain/Timeframe.ts"
import { type ColumnCache, makeColumnCache } from "../../../interpreters/evaluateColumns.ts"
import { defaultValues } from "../../../interpreters/searchSpace.ts"
import { toSignalColumns } from "../../../interpreters/signalColumns.ts"
import { fromSharedColumns, sliceColumns } from "../../../kernel/columns.ts"
import type { MarketSpec, MatchFill } from "../../../kernel/matching.ts"
import type { RiskLimits } from "../../../kernel/riskGate.ts"
import { simulate, type Simulation } from "../../../kernel/simulate.ts"
import { candidateAt, type CandidateContext, type CandidateRef } from "../candidates.ts"
import { randomEntryReturns } from "./randomEntries.ts"

/** The candles of one market, in memory that threads share. */
export interface TaskMarket {
  readonly symbol: string
  readonly buffer: SharedArrayBuffer
  /** Tells equal candles from others, so that a thread can keep what it computed from them. */
  readonly hash: string
  readonly spec: MarketSpec
  /** First candle that counts, and the one after the last. */
  readonly from: number
  readonly to: number
}

/** What a simulation needs besides candles and a strategy. */
export interface TaskSetting {
  readonly markets: ReadonlyArray<TaskMarket>
  readonly timeframe: Timeframe
  readonly capital: number
  readonly limits: RiskLimits
  readonly fill: "next_open" | "close"
  readonly endOfData: "close" | "open"
}

/** One strategy and one parameter set, with everything that came out. */
export interface BacktestTask extends TaskSetting {
  readonly type: "backtest"
  readonly definition: StrategyDefinition
  readonly values: ParameterValues
}

/** What came out of a backtest task. */
export interface BacktestResult {
  readonly measured: MeasuredMetrics
  readonly time: Float64Array
  readonly equity: Float64Array
  readonly fills: ReadonlyArray<MatchFill>
  readonly closed: Simulation["closed"]
  readonly ambiguousCount: number
  readonly bestPathReturn: number
  readonly gateChanges: Simulation["gateChanges"]
  readonly isComplete: boolean
}

/** Many parameter sets of one strategy. */
export interface TrialsTask extends TaskSetting {
  readonly type: "trials"
  readonly definition: StrategyDefinition
  readonly points: ReadonlyArray<ParameterValues>
  readonly objective: Objective
}

/** What one trial did. */
export interface TrialResult {
  readonly objective: number | null
  readonly positionCount: number
}

/** Candidates of a generation. */
export interface CandidatesTask extends TaskSetting {
  readonly type: "candidates"
  readonly context: CandidateContext
  readonly refs: ReadonlyArray<CandidateRef>
  readonly objective: Objective
}

/** What one candidate did. */
export interface CandidateResult {
  readonly ref: CandidateRef
  readonly family: string
  readonly score: number
  readonly positionCount: number
  readonly drawdown: number
  /** Equal for candidates that traded the same. */
  readonly fingerprint: number
}

/** Random entries that are held as long as given positions were. */
export interface RandomEntriesTask extends TaskSetting {
  readonly type: "random_entries"
  readonly seed: number
  readonly count: number
  readonly held: ReadonlyArray<{ readonly heldCount: number; readonly direction: 1 | -1 }>
}

/** Everything that a worker can be asked. */
export type Task = BacktestTask | TrialsTask | CandidatesTask | RandomEntriesTask

/** What a task gives. */
export type TaskResult<T extends Task> = T extends BacktestTask
  ? BacktestResult
  : T extends TrialsTask
    ? ReadonlyArray<TrialResult | null>
    : T extends CandidatesTask
      ? ReadonlyArray<CandidateResult>
      : ReadonlyArray<number>

/** Caches of this thread, newest last; one for each stretch of candles. */
const caches = new Map<string, ColumnCache>()
const cachesMax = 4

const cacheOf = ({ buffer, hash, symbol, to }: TaskMarket): ColumnCache => {
  const key = `${symbol} ${hash} ${to}`
  const known = caches.get(key)
  if (known !== undefined) return known
  const cache = makeColumnCache(sliceColumns(fromSharedColumns(buffer), 0, to))
  caches.set(key, cache)
  const [oldest] = caches.keys()
  if (caches.size > cachesMax && oldest !== undefined) caches.delete(oldest)
  return cache
}

/** Runs one strategy on the markets of a task. */
const simulateTask = (
  task: TaskSetting,
  definition: StrategyDefinition,
  values: ParameterValues,
  shouldStop: () => boolean
): Simulation => {
  const parts = task.markets.map((market) => {
    const cache = cacheOf(market)
    const { plan, signals, levelsAt } = toSignalColumns(definition, values, cache)
    return { plan, market: { columns: cache.columns, signals, levelsAt, spec: market.spec } }
  })
  return simulate({
    markets: parts.map(({ market }) => market),
    plan: parts[0]!.plan,
    capital: task.capital,
    limits: task.limits,
    fill: task.fill,
    endOfData: task.endOfData,
    from: task.markets.map(({ from }) => from),
    shouldStop
  })
}

const runBacktest = (task: BacktestTask, shouldStop: () => boolean): BacktestResult => {
  const simulation = simulateTask(task, task.definition, task.values, shouldStop)
  const { time, equity, fills, closed, ambiguousCount, gateChanges, isComplete } = simulation
  const better = closed.reduce((sum, one) => sum + (one.bestPathPnl - one.pnl), 0)
  const final = equity.at(-1) ?? task.capital
  return {
    measured: measureAll(toMeasurement(simulation, task.capital, timeframeMs(task.timeframe))),
    time: time.slice(),
    equity: equity.slice(),
    fills,
    closed,
    ambiguousCount,
    bestPathReturn: (final + better) / task.capital - 1,
    gateChanges,
    isComplete
  }
}

const runTrials = (
  task: TrialsTask,
  shouldStop: () => boolean
): ReadonlyArray<TrialResult | null> =>
  task.points.map((values) => {
    if (shouldStop()) return null
    const simulation = simulateTask(task, task.definition, values, shouldStop)
    if (!simulation.isComplete) return null
    const measurement = toMeasurement(simulation, task.capital, timeframeMs(task.timeframe))
    return {
      objective: measureOne(task.objective, measurement),
      positionCount: simulation.closed.length
    }
  })

const fingerprintOf = (fills: ReadonlyArray<MatchFill>): number => {
  let hash = 17
  for (const { index, side, price } of fills) {
    hash = Math.imul(hash ^ index, 0x01000193)
    hash = Math.imul(hash ^ (side + 2), 0x01000193)
    hash = Math.imul(hash ^ Math.round(price * 1e6), 0x01000193)
  }
  return hash
}

const runCandidates = (
  task: CandidatesTask,
  shouldStop: () => boolean
): ReadonlyArray<CandidateResult> => {
  const results: Array<CandidateResult> = []
  for (const ref of task.refs) {
    if (shouldStop()) break
    const { definition, family } = candidateAt(task.context, ref)
    const simulation = simulateTask(task, definition, defaultValues(definition), shouldStop)
    const measurement = toMeasurement(simulation, task.capital, timeframeMs(task.timeframe))
    const { metrics } = measureAll(measurement)
    results.push({
      ref,
      family,
      score: objectiveScore(task.objective, metrics),
      positionCount: simulation.closed.length,
      drawdown: metrics["max_drawdown"] ?? 0,
      fingerprint: fingerprintOf(simulation.fills)
    })
  }
  return results
}

const runRandomEntries = (task: RandomEntriesTask): ReadonlyArray<number> => {
  const [market] = task.markets
  return randomEntryReturns({
    columns: cacheOf(market!).columns,
    spec: market!.spec,
    from: market!.from,
    seed: task.seed,
    count: task.count,
    held: task.held
  })
}

/** Computes a task; `shouldStop` is asked now and then. */
export const runTask = <T extends Task>(task: T, shouldStop: () => boolean): TaskResult<T> => {
  const result = ((): unknown => {
    switch (task.type) {
      case "backtest":
        return runBacktest(task, shouldStop)
      case "trials":
        return runTrials(task, shouldStop)
      case "candidates":
        return runCandidates(task, shouldStop)
      case "random_entries":
        return runRandomEntries(task)
    }
  })()
  return result as TaskResult<T>
}
