/**
 * The trials of a task: from event to event where that gives what the task asks, else candle by
 * candle.
 *
 * @since 0.1.0
 */
import {
  type CodeByName,
  measureOne,
  type Objective,
  type ParameterValues,
  type StrategyDefinition
} from "@candlewick/engine"
import { type EngineRun, figureAt, figureCount, planPath, runFast } from "@candlewick/engine/fast"
import {
  cacheOf,
  simulateTask,
  type TaskMarket,
  type TaskSetting
} from "../workers/simulateTask.ts"
import {
  fastMarketOf,
  isGated,
  stretchOf,
  toEngineOptions,
  type TradedRun,
  tradeTask,
  type UntradedRun
} from "../workers/tradeTask.ts"

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
  /** Why it went candle by candle, or null where it did not. */
  readonly plainReason: string | null
}

/** Objectives that are figures of the engine, and which. */
const figureOf = new Map<Objective, number>([
  ["total_return", figureAt.totalReturn],
  ["sharpe", figureAt.sharpe],
  ["max_drawdown", figureAt.maxDrawdown]
])

/** Trials that one task computes at least: enough to be worth sending. */
const trialsMin = 20

/** Tasks of a long search at least: its progress is seen in as many steps. */
const tasksMin = 16

/** Candles times trials of one task at most, about half a second: only then it can be stopped. */
const trialCandlesMax = 500_000_000

/**
 * How many of a search's trials one task computes. What trials have in common is computed once a
 * task, so that many go together where they are cheap and leave no more than a number behind. It
 * is a matter of the search alone: one that is gone on with elsewhere finds the same tasks.
 */
export const trialsPerTask = (task: TrialsTask): number => {
  const { definition, objective, points } = task
  const market = fastMarketOf(task)
  const isCheap =
    "symbol" in market &&
    figureOf.has(objective) &&
    !isGated(task) &&
    planPath(definition, market.spec).path === "fast"
  if (!isCheap) return trialsMin
  const inTime = Math.floor(trialCandlesMax / market.to)
  return Math.max(trialsMin, Math.min(inTime, Math.ceil(points.length / tasksMin)))
}

/** The trials' objectives as figures of the engine. */
const runByFigures = (
  task: TrialsTask,
  runs: ReadonlyArray<EngineRun>,
  market: TaskMarket,
  field: number
): ReadonlyArray<TrialResult | UntradedRun> => {
  const cache = cacheOf(market)
  const { figures, plain } = runFast(cache, runs, toEngineOptions(task, market, cache))
  const reasons = new Map(plain.map(({ index, reason }) => [index, reason]))
  return runs.map((_, index) => {
    const plainReason = reasons.get(index)
    if (plainReason !== undefined) return { plainReason }
    const value = figures[index * figureCount + field]!
    return {
      objective: Number.isFinite(value) ? value : null,
      // Every position that was entered is closed by the end.
      positionCount: figures[index * figureCount + figureAt.entries]!,
      plainReason: null
    }
  })
}

const toResult = (task: TrialsTask, run: TradedRun, plainReason: string | null): TrialResult => ({
  objective: measureOne(task.objective, stretchOf(run, task, 0, run.time.length)),
  positionCount: run.closed.length,
  plainReason
})

/** Runs the trials of a task; null stands for one that was stopped. */
export const runTrials = (
  task: TrialsTask,
  shouldStop: () => boolean,
  code: CodeByName
): ReadonlyArray<TrialResult | null> => {
  const { definition, objective, points } = task
  if (shouldStop()) return points.map(() => null)
  const runs = points.map((values) => ({ definition, values }))
  const market = fastMarketOf(task)
  const field = figureOf.get(objective)
  const results =
    "symbol" in market && field !== undefined && !isGated(task)
      ? runByFigures(task, runs, market, field)
      : tradeTask(task, runs, (run) => ("closed" in run ? toResult(task, run, null) : run))
  return results.map((result, index) => {
    if ("objective" in result) return result
    if (shouldStop()) return null
    const simulation = simulateTask(task, definition, points[index]!, shouldStop, code)
    return simulation.isComplete ? toResult(task, simulation, result.plainReason) : null
  })
}
