/**
 * An optimization from its request to its report: candles, parameter sets, trials in chunks over
 * the threads, and the best of them on both stretches.
 *
 * @since 0.1.0
 */
import { Effect, Option, Schema } from "effect"
import {
  type CodeByName,
  defaultValues,
  engineVersion,
  narrowSpace,
  type ParameterValues,
  pointAt,
  samplePoint,
  scoreOf,
  type SearchSpace,
  type StrategyDefinition,
  timeframeMs,
  toRanges,
  toTimestamp
} from "@candlewick/engine"
import { Limits } from "../../../domain/Limits.ts"
import type {
  Candidate,
  Optimization,
  OptimizationReport,
  OptimizeRequest,
  Trial
} from "../../../domain/Optimization.ts"
import type { PlainRuns } from "../../../domain/PlainRuns.ts"
import { invalid, type Problem } from "../../../domain/Problem.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import { makeRandom } from "@candlewick/engine/kernel"
import type { StrategyStore } from "../../../ports/StrategyStore.ts"
import type { StrategyVersionStore } from "../../../ports/StrategyVersionStore.ts"
import type { Candles } from "../../candles/Candles.ts"
import type { RunEnd } from "../runLifecycle.ts"
import type { RunHandle } from "../RunSource.ts"
import { forbiddenShorts } from "../../strategies/forbiddenShorts.ts"
import type { TaskFailed, WorkerPool } from "../workers/WorkerPool.ts"
import { countPlainRuns } from "../countPlainRuns.ts"
import { rememberedSteps } from "../rememberedSteps.ts"
import { pinnedRequest, riskOfRun, strategyOfRun } from "../runRecords.ts"
import {
  loadCandles,
  loadedPins,
  pinsOf,
  qualityOf,
  type RunCandles,
  splitSetting,
  splitTime,
  toMeasured,
  toSetting
} from "../runSetting.ts"
import { type TrialResult, trialsPerTask } from "./runTrials.ts"
import type { TaskSetting } from "../workers/tasks.ts"

/** What the runs under way have tried, by id. */
export type Tried = Map<
  string,
  Pick<Optimization, "completed_trials" | "total_trials" | "best_so_far">
>

interface World {
  readonly code: CodeByName
  readonly candles: Candles["Service"]
  readonly pool: WorkerPool["Service"]
  readonly strategies: StrategyStore["Service"]
  readonly tried: Tried
  readonly versions: StrategyVersionStore["Service"]
}

const TrialResults = Schema.Array(
  Schema.Struct({
    objective: Schema.NullOr(Schema.Finite),
    positionCount: Schema.Int,
    plainReason: Schema.NullOr(Schema.String)
  })
)

/**
 * The parameters to search, with the bounds that the caller changed; fails with a fault for each
 * range.
 */
export const spaceOf = (
  definition: StrategyDefinition,
  request: OptimizeRequest
): Effect.Effect<SearchSpace, Problem> =>
  Effect.mapError(Effect.fromResult(narrowSpace(definition, request.parameters ?? [])), (faults) =>
    invalid(faults)
  )

/** Everything that an optimization is made of, with its defaults filled in. */
interface Plan {
  readonly definition: StrategyDefinition
  readonly candles: RunCandles
  readonly config: OptimizationReport["config"]
  readonly points: ReadonlyArray<ParameterValues>
  readonly before: TaskSetting
  readonly after: TaskSetting
}

/** The parameter sets to try: all of a small grid, else points drawn each from its own number. */
const pointsOf = (
  space: SearchSpace,
  method: "grid" | "random",
  count: number,
  seed: number
): ReadonlyArray<ParameterValues> => {
  const { size } = space
  if (size !== null && size <= count) {
    return Array.from({ length: size }, (_, index) => pointAt(space, index))
  }
  if (method === "grid") {
    // An even walk through a grid that is larger than the number of trials.
    return Array.from({ length: count }, (_, index) =>
      pointAt(space, Math.floor((index * size!) / count))
    )
  }
  const random = makeRandom(seed)
  return Array.from({ length: count }, (_, index) => samplePoint(space, random.fork(index).next))
}

const seedMax = 2 ** 32

/** A seed of its own for a run that named none, the same after a restart. */
const seedOf = (id: string): number => Math.floor(makeRandom(id).next() * seedMax)

const planRun = Effect.fnUntraced(function* (
  world: World,
  { account_id, id, request, ...record }: Optimization
): Effect.fn.Return<Plan, Problem | StoreError> {
  const { candles } = world
  const pinned = pinnedRequest(request, record)
  const { strategy, definition } = yield* strategyOfRun(world, account_id, pinned)
  const space = yield* spaceOf(definition, request)
  const { timeframe } = definition
  const symbols = request.symbols ?? definition.symbols
  const range = { accountId: account_id, symbols, timeframe, from: request.from, to: request.to }
  const loaded = yield* loadCandles(candles, range, request)
  const method = request.method ?? "random"
  const seed = request.seed ?? seedOf(id)
  const points = pointsOf(space, method, request.max_trials ?? Limits.optimizeTrialsDefault, seed)
  const rate = request.in_sample_rate ?? 0.7
  const splitAt = splitTime(loaded, rate)
  const risk = riskOfRun(strategy, request)
  const capital = request.initial_capital ?? Limits.capitalDefault
  const setting = toSetting(loaded, { capital, risk })
  return {
    definition,
    candles: loaded,
    points,
    ...splitSetting(setting, loaded.datasets, splitAt),
    config: {
      symbols: [...symbols],
      timeframe,
      from: toTimestamp(loaded.firstTime),
      to: toTimestamp(loaded.lastTime + timeframeMs(timeframe)),
      split_at: toTimestamp(splitAt),
      objective: request.objective ?? strategy.objective ?? "sharpe",
      method,
      max_trials: points.length,
      in_sample_rate: rate,
      min_positions: request.min_positions ?? 5,
      initial_capital: capital,
      risk,
      seed,
      space: toRanges(space),
      space_size: space.size
    }
  }
})

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
  readonly plainReasons: Array<string | null>
  best: Trial | null
}

/** Counts the results of the points from `first` on; null is one that was not run to its end. */
const countResults = (
  tally: Tally,
  { config, points }: Plan,
  first: number,
  results: ReadonlyArray<TrialResult | null>
): void => {
  const better = byScore(config.objective)
  for (const [offset, result] of results.entries()) {
    if (result === null) continue
    const index = first + offset
    const trial: Trial = {
      index,
      parameters: points[index]!,
      objective: result.objective,
      position_count: result.positionCount,
      is_eligible: result.objective !== null && result.positionCount >= config.min_positions
    }
    tally.trials.push(trial)
    tally.plainReasons.push(result.plainReason)
    const isBest = tally.best === null || better(trial, tally.best) < 0
    if (trial.is_eligible && isBest) tally.best = trial
  }
}

/** Runs the trials; gives those that were finished where the run is cancelled. */
const tryAll = Effect.fnUntraced(function* (
  { pool, tried }: World,
  id: string,
  plan: Plan,
  handle: RunHandle
): Effect.fn.Return<
  {
    readonly trials: ReadonlyArray<Trial>
    readonly plainRuns: PlainRuns
    readonly isComplete: boolean
  },
  TaskFailed
> {
  const { before, config, definition, points } = plan
  const { objective } = config
  const task = { ...before, type: "trials", definition, objective } as const
  const perTask = trialsPerTask({ ...task, points })
  const steps = yield* rememberedSteps(
    handle,
    [engineVersion, perTask, before, definition, points, objective],
    TrialResults
  )
  const tally: Tally = { trials: [], plainReasons: [], best: null }
  const take = (first: number, results: ReadonlyArray<TrialResult | null>) => {
    countResults(tally, plan, first, results)
    const count = tally.trials.length
    tried.set(id, {
      completed_trials: count,
      total_trials: points.length,
      best_so_far: tally.best
    })
    return handle.report(0.05 + (0.85 * count) / points.length, "search")
  }
  const runChunk = Effect.fnUntraced(function* (first: number) {
    const chunk = points.slice(first, first + perTask)
    const results = yield* pool.run({ ...task, points: chunk })
    const whole = results.filter((result) => result !== null)
    if (whole.length === chunk.length) yield* steps.keep(first, whole)
    yield* take(first, results)
  })
  const missing: Array<number> = []
  for (let first = 0; first < points.length; first += perTask) {
    const found = Option.getOrNull(steps.find(first))
    if (found === null) missing.push(first)
    else yield* take(first, found)
  }
  const all = Effect.forEach(missing, runChunk, { concurrency: pool.size, discard: true })
  const outcome = yield* handle.unlessCancelled(all)
  return {
    trials: tally.trials.toSorted(byScore(objective)),
    plainRuns: countPlainRuns(tally.plainReasons),
    isComplete: Option.isSome(outcome)
  }
})

/** A parameter set with its results in and out of sample. */
const measureBoth = Effect.fnUntraced(function* (
  { pool }: World,
  { after, before, definition, config }: Plan,
  values: ParameterValues
): Effect.fn.Return<Candidate, TaskFailed> {
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

const warningsOf = (plan: Plan, trials: ReadonlyArray<Trial>): ReadonlyArray<string> => {
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

/** Carries an optimization out; what it had where it is cancelled. */
export const optimizeStrategy = Effect.fnUntraced(function* (
  world: World,
  optimization: Optimization,
  handle: RunHandle
): Effect.fn.Return<RunEnd<Optimization>, Problem | StoreError | TaskFailed> {
  yield* handle.report(0.02, "load")
  const plan = yield* planRun(world, optimization)
  const { trials, plainRuns, isComplete } = yield* tryAll(world, optimization.id, plan, handle)
  // Progress never falls: one that was cancelled stays where its trials have brought it.
  yield* handle.report(isComplete ? 0.92 : 0, "judge")
  const best = trials.find((trial) => trial.is_eligible)
  const measured = best === undefined ? null : yield* measureBoth(world, plan, best.parameters)
  const original = yield* measureBoth(world, plan, defaultValues(plan.definition))
  yield* handle.report(isComplete ? 0.98 : 0, "report")
  return {
    ending: isComplete ? "complete" : "cancel",
    ...loadedPins(plan.candles),
    report: {
      config: plan.config,
      data_quality: qualityOf(plan.candles),
      markets: pinsOf(plan.candles),
      engine_version: engineVersion,
      best: measured,
      original,
      trials: trials.slice(0, Limits.reportTrialsMaxCount),
      trial_count: trials.length,
      eligible_count: trials.filter((trial) => trial.is_eligible).length,
      plain_runs: plainRuns,
      warnings: warningsOf(plan, trials)
    }
  }
})
