/**
 * What worker threads compute: backtests, trials, candidates and their judgement, as plain values
 * in and out.
 *
 * Everything here is pure: the same task gives the same result on any thread.
 *
 * @since 0.1.0
 */
import {
  type CodeByName,
  measureAll,
  type MeasuredMetrics,
  noCode,
  type Objective,
  type ParameterValues,
  type StrategyDefinition,
  timeframeMs,
  toMeasurement
} from "@candlewick/engine"
import {
  type HeldPosition,
  heldPositions,
  type MatchFill,
  type Simulation
} from "@candlewick/engine/kernel"
import { candidateAt, type CandidateContext, type CandidateRef } from "../generate/candidates.ts"
import { type JudgedCandidate, judgeCandidate } from "../generate/judgeCandidate.ts"
import { runTrials, type TrialResult, type TrialsTask } from "../optimize/runTrials.ts"
import { type ScoredCandidate, scoreCandidates } from "../generate/scoreCandidate.ts"
import { simulateTask, type TaskSetting } from "./simulateTask.ts"

export type { TaskMarket, TaskSetting } from "./simulateTask.ts"

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
  readonly open: ReadonlyArray<HeldPosition>
  readonly ambiguousCount: number
  readonly misplacedStopCount: number
  readonly tooSmallCount: number
  readonly fundingPaid: number
  readonly bestPathReturn: number
  readonly worstPathReturn: number
  readonly gateChanges: Simulation["gateChanges"]
  readonly isComplete: boolean
}

/** Candidates of a generation, on the candles that choose. */
export interface CandidatesTask extends TaskSetting {
  readonly type: "candidates"
  readonly context: CandidateContext
  readonly refs: ReadonlyArray<CandidateRef>
  readonly objective: Objective
  readonly drawdownMax: number
}

/** The chosen candidate, on the candles that chose it and on those that did not. */
export interface JudgeTask extends TaskSetting {
  readonly type: "judge"
  readonly context: CandidateContext
  readonly ref: CandidateRef
  readonly objective: Objective
  /** The setting of the candles that chose nothing. */
  readonly after: TaskSetting
}

/** Everything that a worker can be asked. */
export type Task = BacktestTask | TrialsTask | CandidatesTask | JudgeTask

/** What a task gives. */
export type TaskResult<T extends Task> = T extends BacktestTask
  ? BacktestResult
  : T extends TrialsTask
    ? ReadonlyArray<TrialResult | null>
    : T extends CandidatesTask
      ? ReadonlyArray<ScoredCandidate>
      : JudgedCandidate

const runBacktest = (
  task: BacktestTask,
  shouldStop: () => boolean,
  code: CodeByName
): BacktestResult => {
  const simulation = simulateTask(task, task.definition, task.values, shouldStop, code)
  const { account, time, equity, fills, closed, ambiguousCount, gateChanges, isComplete } =
    simulation
  const better = closed.reduce((sum, one) => sum + (one.bestPathPnl - one.pnl), 0)
  const worse = closed.reduce((sum, one) => sum + (one.worstPathPnl - one.pnl), 0)
  const final = equity.at(-1) ?? task.capital
  return {
    measured: measureAll(toMeasurement(simulation, task.capital, timeframeMs(task.timeframe))),
    time: time.slice(),
    equity: equity.slice(),
    fills,
    closed,
    open: heldPositions(account),
    ambiguousCount,
    misplacedStopCount: simulation.misplacedStopCount,
    tooSmallCount: simulation.tooSmallCount,
    bestPathReturn: (final + better) / task.capital - 1,
    worstPathReturn: (final + worse) / task.capital - 1,
    gateChanges,
    fundingPaid: account.ledger.fundingPaid,
    isComplete
  }
}

const runCandidates = (
  task: CandidatesTask,
  shouldStop: () => boolean
): ReadonlyArray<ScoredCandidate> => {
  const drawn = task.refs.map((ref) => ({ ref, ...candidateAt(task.context, ref) }))
  return shouldStop() ? [] : scoreCandidates(task, drawn, task, shouldStop)
}

/** Computes a task; `shouldStop` is asked now and then, `code` is what definitions may name. */
export const runTask = <T extends Task>(
  task: T,
  shouldStop: () => boolean,
  code: CodeByName = noCode
): TaskResult<T> => {
  const result = ((): unknown => {
    switch (task.type) {
      case "backtest":
        return runBacktest(task, shouldStop, code)
      case "trials":
        return runTrials(task, shouldStop, code)
      case "candidates":
        return runCandidates(task, shouldStop)
      case "judge":
        return judgeCandidate(task, candidateAt(task.context, task.ref), task, shouldStop)
    }
  })()
  return result as TaskResult<T>
}
