/**
 * The trials of a task, each with every metric: from event to event where that gives the same, else
 * candle by candle.
 *
 * @since 0.1.0
 */
import {
  type CodeByName,
  measureAll,
  type Measurement,
  measurementOf,
  metricNames,
  type ParameterValues,
  type StrategyDefinition,
  timeframeMs,
  toMeasurement
} from "@candlewick/engine"
import { planPath, staysOpen, runInDetail } from "@candlewick/engine/fast"
import { type BlockSums, type Curves, overfittingBlocks } from "@candlewick/engine/kernel"
import { cacheOf, simulateTask, type TaskSetting } from "../workers/simulateTask.ts"
import { fastMarketOf, toEngineOptions } from "../workers/runTaskByEvents.ts"

/** Many parameter sets of one strategy. */
export interface TrialsTask extends TaskSetting {
  readonly type: "trials"
  readonly definition: StrategyDefinition
  readonly points: ReadonlyArray<ParameterValues>
  /** Into how many equal parts returns are cut to measure overfitting; 0 for none. */
  readonly blockCount: number
}

/** The results of one trial. */
export interface TrialResult {
  /** Why it went candle by candle, or null where it did not. */
  readonly plainReason: string | null
  /** Every metric in the order of `metricNames`; NaN where it has no value. */
  readonly metrics: Float64Array
  /** How many returns it was measured from, and how many a year has. */
  readonly returnCount: number
  readonly periodsPerYear: number
  /** Its returns in equal parts; null where there are too few. */
  readonly blocks: BlockSums | null
}

/** Trials that one task computes at least: enough to be worth sending. */
const trialsMin = 20

/** Tasks of a long search at least: its progress is seen in as many steps. */
const tasksMin = 16

/** Candles times trials of one task at most, about half a second: only then it can be stopped. */
const trialCandlesMax = 10_000_000

/**
 * How many of a search's trials one task computes. It is a matter of the search alone: one that is
 * gone on with elsewhere finds the same tasks.
 */
export const trialsPerTask = ({ markets, points }: TrialsTask): number => {
  const candles = markets.reduce((sum, { to }) => sum + to, 0)
  const inTime = Math.floor(trialCandlesMax / Math.max(1, candles))
  return Math.max(trialsMin, Math.min(inTime, Math.ceil(points.length / tasksMin)))
}

/** The curves that a thread writes one run after the other into. */
let kept: Curves = curvesOf(0)

function curvesOf(length: number): Curves {
  return {
    equity: new Float64Array(length),
    notional: new Float64Array(length),
    held: new Uint8Array(length)
  }
}

const takeCurves = (length: number): Curves => {
  if (kept.equity.length < length) kept = curvesOf(length)
  const curves = {
    equity: kept.equity.subarray(0, length),
    notional: kept.notional.subarray(0, length),
    held: kept.held.subarray(0, length)
  }
  for (const one of Object.values(curves)) one.fill(0)
  return curves
}

/** The inputs of a trial's metrics where events give them, or the reason why they don't. */
const tell = (task: TrialsTask, values: ParameterValues): Measurement | string => {
  const { capital, definition, fill, limits } = task
  const market = fastMarketOf(task)
  if ("plainReason" in market) return market.plainReason
  const path = planPath(definition, market.spec)
  if (path.path === "plain") return path.reason
  const cache = cacheOf(market)
  const { columns } = cache
  const time = columns.time.subarray(market.from)
  const curves = { ...takeCurves(time.length), time }
  const options = toEngineOptions(task, market, cache)
  const told = runInDetail(columns, { definition, values }, options, curves)
  if (told === null) return "its trades do not tell all of it"
  if (!staysOpen({ capital, fill, limits }, told, curves)) return "a limit on losses was reached"
  return measurementOf(curves, told, capital, timeframeMs(task.timeframe))
}

const toResult = (
  { blockCount }: TrialsTask,
  measurement: Measurement,
  plainReason: string | null
): TrialResult => {
  const { metrics } = measureAll(measurement)
  return {
    plainReason,
    metrics: Float64Array.from(metricNames, (name) => metrics[name] ?? Number.NaN),
    returnCount: measurement.returns.length,
    periodsPerYear: measurement.periodsPerYear,
    blocks: blockCount === 0 ? null : overfittingBlocks(measurement.returns, blockCount)
  }
}

/** Runs the trials of a task; null stands for one that was stopped. */
export const runTrials = (
  task: TrialsTask,
  shouldStop: () => boolean,
  code: CodeByName
): ReadonlyArray<TrialResult | null> => {
  const { capital, definition, timeframe } = task
  return task.points.map((values) => {
    if (shouldStop()) return null
    const told = tell(task, values)
    if (typeof told !== "string") return toResult(task, told, null)
    const simulation = simulateTask(task, definition, values, shouldStop, code)
    if (!simulation.isComplete) return null
    return toResult(task, toMeasurement(simulation, capital, timeframeMs(timeframe)), told)
  })
}
