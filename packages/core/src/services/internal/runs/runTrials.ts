/**
 * The trials of a task: from event to event where that gives what the task asks, else candle by
 * candle.
 *
 * @since 0.1.0
 */
import { measureOne, toMeasurement } from "../../../domain/Metric.ts"
import type { Objective } from "../../../domain/Objective.ts"
import type { ParameterValues } from "../../../domain/Parameter.ts"
import type { StrategyDefinition } from "../../../domain/StrategyDefinition.ts"
import { timeframeMs } from "../../../domain/Timeframe.ts"
import { figureCount } from "../../../engine/Run.ts"
import { runFast } from "../../../engine/sweep.ts"
import { periodsPerYear } from "../../../kernel/metrics/dailyReturns.ts"
import { cacheOf, simulateTask, type TaskMarket, type TaskSetting } from "./simulateTask.ts"

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

/** The market whose trials may run from event to event; limits are looked at candle by candle. */
const fastMarket = ({ endOfData, limits, markets }: TrialsTask): TaskMarket | null => {
  const [market] = markets
  const isPlain = markets.length !== 1 || market!.detail !== undefined || endOfData !== "close"
  return isPlain || Object.values(limits).some((limit) => limit !== null) ? null : market!
}

const runPlainly = (
  task: TrialsTask,
  values: ParameterValues,
  shouldStop: () => boolean
): TrialResult | null => {
  if (shouldStop()) return null
  const simulation = simulateTask(task, task.definition, values, shouldStop)
  if (!simulation.isComplete) return null
  const measurement = toMeasurement(simulation, task.capital, timeframeMs(task.timeframe))
  return {
    objective: measureOne(task.objective, measurement),
    positionCount: simulation.closed.length
  }
}

/** Runs the trials of a task; null stands for one that was stopped. */
export const runTrials = (
  task: TrialsTask,
  shouldStop: () => boolean
): ReadonlyArray<TrialResult | null> => {
  const { capital, definition, endOfData, fill, objective, points } = task
  const market = fastMarket(task)
  const field = figureOf.get(objective)
  if (market === null || field === undefined || shouldStop()) {
    return points.map((values) => runPlainly(task, values, shouldStop))
  }
  const cache = cacheOf(market)
  const runs = points.map((values) => ({ definition, values }))
  const { figures, plain } = runFast(cache, runs, {
    spec: market.spec,
    capital,
    fill,
    endOfData,
    from: market.from,
    returns: "day",
    periodsPerYear: periodsPerYear(cache.columns.time.subarray(market.from))
  })
  const isPlain = new Set(plain.map(({ index }) => index))
  return points.map((values, index) => {
    if (isPlain.has(index)) return runPlainly(task, values, shouldStop)
    const value = figures[index * figureCount + field]!
    return {
      objective: Number.isFinite(value) ? value : null,
      // Every position that was entered is closed by the end.
      positionCount: figures[index * figureCount + 3]!
    }
  })
}
