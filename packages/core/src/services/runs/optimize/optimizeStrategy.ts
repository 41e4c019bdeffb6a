/**
 * An optimization from its request to its report: candles, parameter sets, trials in chunks over
 * the threads, and the best of them on both stretches.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import {
  defaultValues,
  engineVersion,
  fromTimestamp,
  type ParameterValues,
  scoreOf
} from "@candlewick/engine"
import { Limits } from "../../../domain/Limits.ts"
import type {
  MeasuredParameterSet,
  Optimization,
  OptimizationReport,
  SearchJudgement,
  Trial
} from "../../../domain/Optimization.ts"
import type { PlainRuns } from "../../../domain/PlainRuns.ts"
import type { Problem } from "../../../domain/Problem.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import type { RunEnd } from "../runLifecycle.ts"
import type { RunHandle } from "../RunSource.ts"
import { forbiddenShorts } from "../../strategies/forbiddenShorts.ts"
import type { TaskFailed } from "../workers/WorkerPool.ts"
import { countPlainRuns } from "../countPlainRuns.ts"
import { judgeStretches } from "../judgeStretches.ts"
import { loadedPins, pinsOf, qualityOf, toMeasured } from "../runSetting.ts"
import { type JudgedSearch, judgementWarnings, judgeSearch } from "./judgeSearch.ts"
import type { TrialResult } from "./runTrials.ts"
import { figureOf, judgedOf, toTrialColumns } from "./trialTable.ts"
import { planSearch, type SearchPlan, type SearchServices } from "./planSearch.ts"
import { tryPoints } from "./tryPoints.ts"
import { walkForward, walkWarnings } from "./walkForward.ts"

/**
 * Which of two trials comes first: the better one, and of equals the one that was proposed first.
 */
const byScore =
  (objective: OptimizationReport["config"]["objective"]) =>
  (one: Trial, other: Trial): number =>
    Number(other.is_eligible) - Number(one.is_eligible) ||
    scoreOf(objective, other.objective) - scoreOf(objective, one.objective) ||
    one.index - other.index

/** The finished trials, as the results come in. */
interface Tally {
  readonly trials: Array<Trial>
  readonly results: Map<number, TrialResult>
  readonly plainReasons: Array<string | null>
  best: Trial | null
}

/** Counts the results of the points from `first` on; null is one that was not run to its end. */
const countResults = (
  tally: Tally,
  { config, points }: SearchPlan,
  first: number,
  results: ReadonlyArray<TrialResult | null>
): void => {
  const better = byScore(config.objective)
  for (const [offset, result] of results.entries()) {
    if (result === null) continue
    const index = first + offset
    const objective = figureOf(result, config.objective)
    const count = figureOf(result, "trades") ?? 0
    const trial: Trial = {
      index,
      parameters: points[index]!,
      objective,
      position_count: count,
      is_eligible: objective !== null && count >= config.min_positions
    }
    tally.trials.push(trial)
    tally.results.set(index, result)
    tally.plainReasons.push(result.plainReason)
    const isBest = tally.best === null || better(trial, tally.best) < 0
    if (trial.is_eligible && isBest) tally.best = trial
  }
}

/** Runs the trials; gives those that were finished where the run is cancelled. */
const tryAll = Effect.fnUntraced(function* (
  { pool, tried }: SearchServices,
  id: string,
  plan: SearchPlan,
  handle: RunHandle
): Effect.fn.Return<
  {
    readonly trials: ReadonlyArray<Trial>
    readonly results: ReadonlyMap<number, TrialResult>
    readonly plainRuns: PlainRuns
    readonly isSearched: boolean
  },
  TaskFailed
> {
  const { before, blockCount, config, definition, points } = plan
  const task = { ...before, type: "trials", definition, blockCount, points } as const
  const tally: Tally = { trials: [], results: new Map(), plainReasons: [], best: null }
  const share = config.walk_forward === undefined ? 0.85 : 0.4
  const isSearched = yield* tryPoints(pool, handle, task, (first, results) => {
    countResults(tally, plan, first, results)
    const count = tally.trials.length
    tried.set(id, {
      completed_trials: count,
      total_trials: points.length,
      best_so_far: tally.best
    })
    return handle.report(0.05 + (share * count) / points.length, "search")
  })
  return {
    trials: tally.trials.toSorted(byScore(config.objective)),
    results: tally.results,
    plainRuns: countPlainRuns(tally.plainReasons),
    isSearched
  }
})

/** A parameter set with its results in and out of sample. */
const measureBoth = Effect.fnUntraced(function* (
  { pool }: SearchServices,
  { after, before, definition, config }: SearchPlan,
  values: ParameterValues
): Effect.fn.Return<MeasuredParameterSet, TaskFailed> {
  const [inside, outside] = yield* Effect.forEach(
    [before, after],
    (setting) => pool.run({ ...setting, type: "measure", definition, values }),
    { concurrency: 2 }
  )
  return {
    parameters: values,
    in_sample: toMeasured(inside!, config.timeframe),
    out_of_sample: toMeasured(outside!, config.timeframe)
  }
})

/** The worth of the best trial. */
const judge = Effect.fnUntraced(function* (
  { pool }: SearchServices,
  { blockCount, config }: SearchPlan,
  results: ReadonlyMap<number, TrialResult>,
  found: Pick<JudgedSearch, "best" | "bestTrial" | "original" | "trials">
): Effect.fn.Return<
  { readonly judgement: SearchJudgement; readonly warnings: ReadonlyArray<string> },
  TaskFailed
> {
  const judged = judgedOf(results)
  const { blocks } = judged
  const overfitting =
    blocks.length < 2 ? null : yield* pool.run({ type: "overfitting", trials: blocks })
  const { objective, space } = config
  const search = { ...found, objective, space, judged, overfitting, blockCount }
  const judgement = judgeSearch(search)
  return { judgement, warnings: judgementWarnings(search, judgement) }
})

const warningsOf = (plan: SearchPlan, trials: ReadonlyArray<Trial>): ReadonlyArray<string> => {
  const warnings = [...forbiddenShorts(plan.definition, plan.candles.markets)]
  const eligible = trials.filter((trial) => trial.is_eligible).length
  if (plan.config.space.length === 0) {
    warnings.push("The strategy has no parameters; only itself was tried.")
  }
  if (eligible === 0) {
    warnings.push(
      `No trial closed at least ${plan.config.min_positions} positions with a defined ${plan.config.objective}.`
    )
  }
  if (qualityOf(plan.candles).some(({ synthetic }) => synthetic)) {
    warnings.push("The candles are synthetic: the result says nothing about a market.")
  }
  return warnings
}

/** Carries an optimization out; where it is cancelled, it gives its results so far. */
export const optimizeStrategy = Effect.fnUntraced(function* (
  services: SearchServices,
  optimization: Optimization,
  handle: RunHandle
): Effect.fn.Return<RunEnd<Optimization>, Problem | StoreError | TaskFailed> {
  yield* handle.report(0.02, "load")
  const plan = yield* planSearch(services, optimization)
  const { account_id: accountId, id } = optimization
  const { trials, results, plainRuns, isSearched } = yield* tryAll(services, id, plan, handle)
  const { walk_forward: request } = plan.config
  const walked =
    request === undefined || !isSearched
      ? null
      : yield* walkForward(services, plan, request, handle)
  const isComplete = isSearched && (request === undefined || walked !== null)
  // Progress never falls: one that was cancelled stays where its trials have brought it.
  yield* handle.report(isComplete ? 0.92 : 0, "judge")
  const since = fromTimestamp(plan.config.split_at)
  const judged_stretches = yield* judgeStretches(services, { accountId, id }, plan.candles, since)
  const bestTrial = trials.find((trial) => trial.is_eligible) ?? null
  const best = bestTrial === null ? null : yield* measureBoth(services, plan, bestTrial.parameters)
  const original = yield* measureBoth(services, plan, defaultValues(plan.definition))
  const found = { best, bestTrial, original, trials }
  const { judgement, warnings } = yield* judge(services, plan, results, found)
  yield* services.trials.put(id, toTrialColumns(trials, results))
  yield* handle.report(isComplete ? 0.98 : 0, "report")
  return {
    ending: isComplete ? "complete" : "cancel",
    ...loadedPins(plan.candles),
    judged_stretches,
    report: {
      config: plan.config,
      data_quality: qualityOf(plan.candles),
      markets: pinsOf(plan.candles),
      engine_version: engineVersion,
      best,
      original,
      trials: trials.slice(0, Limits.reportTrialsMaxCount),
      trial_count: trials.length,
      eligible_count: trials.filter((trial) => trial.is_eligible).length,
      judgement,
      ...(walked !== null && { walk_forward: walked }),
      plain_runs: plainRuns,
      warnings: [
        ...warningsOf(plan, trials),
        ...warnings,
        ...(walked === null ? [] : walkWarnings(walked))
      ]
    }
  }
})
