/**
 * The one look at the candles that chose nothing: the chosen candidate, buying and holding, and
 * random entries there.
 *
 * @since 0.1.0
 */
import {
  defaultValues,
  measureAll,
  type MetricValues,
  type Objective,
  type StrategyDefinition,
  timeframeMs,
  toMeasurement
} from "@candlewick/engine"
import { makeRandom } from "@candlewick/engine/kernel"
import type { StrategyCandidate } from "./candidates.ts"
import { type RandomRanking, rankAmongRandom } from "./randomEntries.ts"
import { type MeasuredStretch, measureStretch } from "../workers/measureStretch.ts"
import { cacheOf, holdTask, simulateTask, type TaskSetting } from "../workers/simulateTask.ts"

/** The results of judging a candidate. */
export interface JudgedCandidate {
  readonly definition: StrategyDefinition
  readonly inSample: MeasuredStretch
  readonly outOfSample: MeasuredStretch
  readonly buyAndHold: MetricValues
  /** Null where it closed no position. */
  readonly random: RandomRanking | null
}

/** Judges a candidate. */
export const judgeCandidate = (
  before: TaskSetting,
  { definition }: StrategyCandidate,
  options: {
    readonly after: TaskSetting
    readonly objective: Objective
    readonly context: { readonly seed: number }
  },
  shouldStop: () => boolean
): JudgedCandidate => {
  const { after, context, objective } = options
  const { capital } = after
  const durationMs = timeframeMs(after.timeframe)
  const values = defaultValues(definition)
  const trained = simulateTask(before, definition, values, shouldStop)
  const simulation = simulateTask(after, definition, values, shouldStop)
  const measurement = toMeasurement(simulation, capital, durationMs)
  const random = rankAmongRandom(
    simulation,
    after.markets.map((market) => ({
      columns: cacheOf(market).columns,
      spec: market.spec,
      from: market.from
    })),
    {
      capital,
      objective,
      measurement,
      timeframeMs: durationMs,
      random: makeRandom(context.seed).fork("random entries"),
      shouldStop
    }
  )
  return {
    definition,
    inSample: measureStretch(toMeasurement(trained, capital, durationMs)),
    outOfSample: measureStretch(measurement),
    buyAndHold: measureAll(toMeasurement(holdTask(after), capital, durationMs)).metrics,
    random
  }
}
