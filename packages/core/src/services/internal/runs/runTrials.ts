/**
 * The trials of a task: from event to event where that gives what the task asks, else candle by
 * candle.
 *
 * @since 0.1.0
 */
import { measureOne } from "../../../domain/Metric.ts"
import type { Objective } from "../../../domain/Objective.ts"
import type { ParameterValues } from "../../../domain/Parameter.ts"
import type { StrategyDefinition } from "../../../domain/StrategyDefinition.ts"
import { type EngineRun, figureCount } from "../../../engine/Run.ts"
import { runFast } from "../../../engine/sweep.ts"
import { cacheOf, simulateTask, type TaskMarket, type TaskSetting } from "./simulateTask.ts"
import {
  fastMarketOf,
  isGated,
  stretchOf,
  toEngineOptions,
  type TradedRun,
  tradeTask
} from "./tradeTask.ts"

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

/** Objectives that are figures of the engine, and which. */
const figureOf = new Map<Objective, number>([
  ["total_return", 0],
  ["sharpe", 1],
  ["max_drawdown", 2]
])

/** The trials' objectives as figures of the engine; null for those that it leaves. */
const runByFigures = (
  task: TrialsTask,
  runs: ReadonlyArray<EngineRun>,
  market: TaskMarket,
  field: number
): ReadonlyArray<TrialResult | null> => {
  const cache = cacheOf(market)
  const { figures, plain } = runFast(cache, runs, toEngineOptions(task, market, cache))
  const isPlain = new Set(plain.map(({ index }) => index))
  return runs.map((_, index) => {
    if (isPlain.has(index)) return null
    const value = figures[index * figureCount + field]!
    return {
      objective: Number.isFinite(value) ? value : null,
      // Every position that was entered is closed by the end.
      positionCount: figures[index * figureCount + 3]!
    }
  })
}

const toResult = (task: TrialsTask, run: TradedRun): TrialResult => ({
  objective: measureOne(task.objective, stretchOf(run, task, 0, run.time.length)),
  positionCount: run.closed.length
})

/** Runs the trials of a task; null stands for one that was stopped. */
export const runTrials = (
  task: TrialsTask,
  shouldStop: () => boolean
): ReadonlyArray<TrialResult | null> => {
  const { definition, objective, points } = task
  if (shouldStop()) return points.map(() => null)
  const runs = points.map((values) => ({ definition, values }))
  const market = fastMarketOf(task)
  const field = figureOf.get(objective)
  const results =
    market !== null && field !== undefined && !isGated(task)
      ? runByFigures(task, runs, market, field)
      : tradeTask(task, runs).map((run) => (run === null ? null : toResult(task, run)))
  return results.map((result, index) => {
    if (result !== null || shouldStop()) return result
    const simulation = simulateTask(task, definition, points[index]!, shouldStop)
    return simulation.isComplete ? toResult(task, simulation) : null
  })
}
