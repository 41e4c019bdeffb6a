/**
 * The computations of worker threads: backtests, trials, candidates and their judgement, as plain
 * values in and out.
 *
 * Everything here is pure: the same task gives the same result on any thread.
 *
 * @since 0.1.0
 */
import {
  type CodeByName,
  noCode,
  type Objective,
  type ParameterValues,
  type StrategyDefinition,
  timeframeMs,
  toMeasurement
} from "@candlewick/engine"
import type { WholeBacktestReport } from "../../../domain/Backtest.ts"
import { type ReportAbout, toBacktestReport } from "../backtest/backtestReport.ts"
import { candidateAt, type CandidateContext, type CandidateRef } from "../generate/candidates.ts"
import { type JudgedCandidate, judgeCandidate } from "../generate/judgeCandidate.ts"
import { runTrials, type TrialResult, type TrialsTask } from "../optimize/runTrials.ts"
import { type ScoredCandidate, scoreCandidates } from "../generate/scoreCandidate.ts"
import { type BacktestOverfitting, type BlockSums, overfittingOf } from "@candlewick/engine/kernel"
import { type MeasuredStretch, measureStretch } from "./measureStretch.ts"
import { simulateTask, type TaskSetting } from "./simulateTask.ts"

export type { TaskMarket, TaskSetting } from "./simulateTask.ts"

/** One strategy and one parameter set, with a report of everything that came out. */
export interface BacktestTask extends TaskSetting {
  readonly type: "backtest"
  readonly definition: StrategyDefinition
  readonly values: ParameterValues
  readonly about: ReportAbout
}

/** The results of a backtest task. */
export interface BacktestTaskResult {
  /** Null where the task was stopped before its first candle. */
  readonly report: WholeBacktestReport | null
  readonly isComplete: boolean
}

/** One strategy and one parameter set, measured. */
export interface MeasureTask extends TaskSetting {
  readonly type: "measure"
  readonly definition: StrategyDefinition
  readonly values: ParameterValues
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

/** The trials of a search, of which each choice of half of their blocks is once in sample. */
export interface OverfittingTask {
  readonly type: "overfitting"
  readonly trials: ReadonlyArray<BlockSums>
}

/** Everything that a worker can be asked. */
export type WorkerTask =
  | BacktestTask
  | MeasureTask
  | TrialsTask
  | CandidatesTask
  | JudgeTask
  | OverfittingTask

/** The result of a task. */
export type WorkerTaskResult<T extends WorkerTask> = T extends BacktestTask
  ? BacktestTaskResult
  : T extends MeasureTask
    ? MeasuredStretch
    : T extends TrialsTask
      ? ReadonlyArray<TrialResult | null>
      : T extends CandidatesTask
        ? ReadonlyArray<ScoredCandidate>
        : T extends OverfittingTask
          ? BacktestOverfitting
          : JudgedCandidate

const runBacktest = (
  task: BacktestTask,
  shouldStop: () => boolean,
  code: CodeByName
): BacktestTaskResult => {
  const simulation = simulateTask(task, task.definition, task.values, shouldStop, code)
  // The asker's thread serves requests: it gets figures, and not the rows behind them.
  const report =
    simulation.time.length === 0 ? null : toBacktestReport(simulation, task, task.about)
  return { report, isComplete: simulation.isComplete }
}

const measureRun = (
  task: MeasureTask,
  shouldStop: () => boolean,
  code: CodeByName
): MeasuredStretch => {
  const simulation = simulateTask(task, task.definition, task.values, shouldStop, code)
  return measureStretch(toMeasurement(simulation, task.capital, timeframeMs(task.timeframe)))
}

const runCandidates = (
  task: CandidatesTask,
  shouldStop: () => boolean
): ReadonlyArray<ScoredCandidate> => {
  const drawn = task.refs.map((ref) => ({ ref, ...candidateAt(task.context, ref) }))
  return shouldStop() ? [] : scoreCandidates(task, drawn, task, shouldStop)
}

/**
 * Computes a task. `shouldStop` is asked now and then; `code` has the strategies that definitions
 * may name.
 */
export const runTask = <T extends WorkerTask>(
  task: T,
  shouldStop: () => boolean,
  code: CodeByName = noCode
): WorkerTaskResult<T> => {
  const result = ((): unknown => {
    switch (task.type) {
      case "backtest":
        return runBacktest(task, shouldStop, code)
      case "measure":
        return measureRun(task, shouldStop, code)
      case "trials":
        return runTrials(task, shouldStop, code)
      case "candidates":
        return runCandidates(task, shouldStop)
      case "overfitting":
        return overfittingOf(task.trials)
      case "judge":
        return judgeCandidate(task, candidateAt(task.context, task.ref), task, shouldStop)
    }
  })()
  return result as WorkerTaskResult<T>
}
