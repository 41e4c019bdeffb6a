/**
 * Optimizations: started, followed, cancelled and read.
 *
 * @since 0.1.0
 */
import { Context, Effect, Layer, Option } from "effect"
import { toTimestamp } from "../domain/Identifier.ts"
import { Limits } from "../domain/Limits.ts"
import type {
  Candidate,
  Optimization,
  OptimizationReport,
  OptimizeRequest,
  Trial
} from "../domain/Optimization.ts"
import { engineVersion } from "../domain/engineVersion.ts"
import { scoreOf } from "../domain/Metric.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { ParameterValues } from "../domain/Parameter.ts"
import { type Problem, problem } from "../domain/Problem.ts"
import { finishedRunStatuses } from "../domain/RunMachine.ts"
import type { StoreError } from "../domain/StoreError.ts"
import type { StrategyDefinition } from "../domain/StrategyDefinition.ts"
import { timeframeMs } from "../domain/Timeframe.ts"
import {
  defaultValues,
  narrowSpace,
  pointAt,
  samplePoint,
  type SearchSpace,
  toRanges
} from "../interpreters/searchSpace.ts"
import { makeRandom } from "../kernel/random.ts"
import { OptimizationStore } from "../ports/OptimizationStore.ts"
import { StrategyStore } from "../ports/StrategyStore.ts"
import { Transactor } from "../ports/Transactor.ts"
import { Candles } from "./Candles.ts"
import { Events } from "./Events.ts"
import { Ids } from "./Ids.ts"
import { announce, nowTimestamp } from "./internal/botPorts.ts"
import { required } from "./internal/refusals.ts"
import {
  checkRange,
  endOfRun,
  queuedRun,
  strategyOfRun,
  withProgress
} from "./internal/runs/runRecords.ts"
import {
  findCandles,
  loadCandles,
  qualityOf,
  type RunCandles,
  splitSetting,
  splitTime,
  toMeasured,
  toSetting
} from "./internal/runs/runSetting.ts"
import type { TaskSetting } from "./internal/runs/tasks.ts"
import { type RunHandle, type RunProgress, Runs } from "./Runs.ts"
import { type TaskFailed, WorkerPool } from "./WorkerPool.ts"

/**
 * Optimizations of an account.
 *
 * @category services
 * @since 0.1.0
 */
export class Optimizations extends Context.Service<
  Optimizations,
  {
    /** Puts a run in the queue and answers at once; fails with `unknown_strategy` or `quota_exceeded`. */
    readonly start: (
      accountId: string,
      request: OptimizeRequest
    ) => Effect.Effect<Optimization, Problem | StoreError>

    /** Finds one; fails with `not_found`. */
    readonly get: (
      accountId: string,
      id: string
    ) => Effect.Effect<Optimization, Problem | StoreError>

    /** The account's optimizations, newest first. */
    readonly list: (
      accountId: string,
      page: PageRequest
    ) => Effect.Effect<Page<Optimization>, StoreError>

    /** Asks a run to end; it keeps what it has. One that is over is left as it is. */
    readonly cancel: (
      accountId: string,
      id: string
    ) => Effect.Effect<Optimization, Problem | StoreError>

    /** The optimization once it is over, or as it is after `seconds`. */
    readonly wait: (
      accountId: string,
      id: string,
      seconds: number
    ) => Effect.Effect<Optimization, Problem | StoreError>
  }
>()("@candlewick/core/services/Optimizations") {
  /** Optimizations over the stores and the worker threads; what a restart interrupted is queued again. */
  static readonly layer = Layer.effect(
    Optimizations,
    Effect.gen(function* () {
      const world: World = yield* makeWorld
      const { optimizations, runs } = world
      for (const one of yield* optimizations.listUnfinished) yield* submit(world, one)
      const live = (record: Optimization) =>
        Effect.map(withProgress(runs, record), (one) => ({ ...one, ...world.tried.get(one.id) }))
      const get = (accountId: string, id: string) =>
        Effect.flatMap(required(optimizations.get(accountId, id), "optimization", id), live)
      return Optimizations.of({
        start: (accountId, request) => start(world, accountId, request),
        get,
        list: Effect.fnUntraced(function* (accountId, page) {
          const { items, next } = yield* optimizations.list(accountId, page)
          return { items: yield* Effect.forEach(items, live), next }
        }),
        cancel: Effect.fnUntraced(function* (accountId, id) {
          const { status } = yield* get(accountId, id)
          if (!finishedRunStatuses.includes(status)) yield* runs.cancel(id)
          return yield* get(accountId, id)
        }),
        wait: (accountId, id, seconds) =>
          get(accountId, id).pipe(
            Effect.andThen(runs.wait(id, seconds)),
            Effect.andThen(get(accountId, id))
          )
      })
    })
  )
}

const makeWorld = Effect.gen(function* () {
  return {
    candles: yield* Candles,
    events: yield* Events,
    ids: yield* Ids,
    optimizations: yield* OptimizationStore,
    pool: yield* WorkerPool,
    runs: yield* Runs,
    strategies: yield* StrategyStore,
    transactor: yield* Transactor,
    /** What the runs under way have tried. */
    tried: new Map<
      string,
      Pick<Optimization, "completed_trials" | "total_trials" | "best_so_far">
    >()
  }
})

type World = Effect.Success<typeof makeWorld>

/** Trials that one task computes: enough to be worth sending, few enough to show progress. */
const trialsPerTask = 20

const spaceOf = (
  definition: StrategyDefinition,
  request: OptimizeRequest
): Effect.Effect<SearchSpace, Problem> =>
  Effect.mapError(Effect.fromResult(narrowSpace(definition, request.parameters ?? [])), (faults) =>
    problem("validation_failed", faults.map(({ message }) => message).join(" "), {
      errors: faults
    })
  )

const start = Effect.fn("Optimizations.start")(function* (
  world: World,
  accountId: string,
  request: OptimizeRequest
): Effect.fn.Return<Optimization, Problem | StoreError> {
  const { candles, ids, optimizations, runs, strategies } = world
  const { strategy, definition } = yield* strategyOfRun(strategies, accountId, request)
  const space = yield* spaceOf(definition, request)
  if (request.method === "grid" && space.size === null) {
    const message = "A grid needs a step for each parameter; give one, or search at random."
    return yield* problem("validation_failed", message, {
      errors: [{ pointer: "/method", code: "no_step", message }]
    })
  }
  const { from, to } = request
  const symbols = request.symbols ?? definition.symbols
  yield* checkRange(request)
  yield* findCandles(candles, { symbols, timeframe: definition.timeframe, from, to })
  const optimization = yield* runs.admit(
    accountId,
    Effect.gen(function* () {
      const kept = yield* optimizations.insert({
        id: yield* ids.make("optimization"),
        account_id: accountId,
        strategy_id: strategy.id,
        request,
        ...queuedRun(yield* nowTimestamp),
        completed_trials: 0,
        total_trials: null,
        best_so_far: null,
        report: null,
        version: 1
      })
      yield* submit(world, kept)
      return kept
    })
  )
  return yield* withProgress(runs, optimization)
})

const submit = (world: World, optimization: Optimization): Effect.Effect<void> =>
  world.runs.submit({
    id: optimization.id,
    accountId: optimization.account_id,
    work: (handle) => carryOut(world, optimization, handle)
  })

const carryOut = (
  world: World,
  optimization: Optimization,
  handle: RunHandle
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { optimizations, tried } = world
    if ((yield* handle.isCancelled) || optimization.status === "cancelling") {
      return yield* finish(world, optimization, { status: "cancelled" })
    }
    let kept = yield* optimizations.update({
      ...optimization,
      status: "running",
      started_at: yield* nowTimestamp
    })
    const save = ({ etaSeconds, progress, status, step }: RunProgress) =>
      Effect.map(
        optimizations.update({
          ...kept,
          ...tried.get(kept.id),
          status,
          progress,
          step,
          eta_seconds: etaSeconds
        }),
        (next) => {
          kept = next
        }
      )
    const end = yield* endOfRun(
      handle.saving(save, compute(world, kept, handle)),
      `optimization ${kept.id}`
    )
    yield* finish(world, kept, end)
  }).pipe(
    Effect.catch((error) =>
      Effect.logError(`optimization ${optimization.id} could not be kept`, error)
    ),
    Effect.ensuring(Effect.sync(() => world.tried.delete(optimization.id)))
  )

/** Keeps how an optimization ended, and announces it where it was completed. */
const finish = Effect.fnUntraced(function* (
  { events, ids, optimizations, transactor, tried }: World,
  optimization: Optimization,
  end: Pick<Optimization, "status"> & Partial<Pick<Optimization, "report" | "error">>
): Effect.fn.Return<void, StoreError> {
  yield* transactor.transact(
    Effect.gen(function* () {
      const kept = yield* optimizations.update({
        ...optimization,
        ...tried.get(optimization.id),
        ...end,
        progress: end.status === "completed" ? 1 : optimization.progress,
        step: "report",
        eta_seconds: null,
        partial: end.status === "cancelled",
        finished_at: yield* nowTimestamp
      })
      if (kept.status !== "completed") return
      const best = kept.report?.best ?? null
      yield* announce({ events, ids }, kept.account_id, "strategy.optimized", {
        optimization_id: kept.id,
        strategy_id: kept.strategy_id,
        objective: kept.report?.config.objective ?? null,
        best_parameters: best?.parameters ?? null,
        in_sample: best?.in_sample.metrics ?? null,
        out_of_sample: best?.out_of_sample.metrics ?? null
      })
    })
  )
})

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
  { candles, strategies }: World,
  { account_id, id, request }: Optimization
): Effect.fn.Return<Plan, Problem | StoreError> {
  const { strategy, definition } = yield* strategyOfRun(strategies, account_id, request)
  const space = yield* spaceOf(definition, request)
  const { timeframe } = definition
  const symbols = request.symbols ?? definition.symbols
  const range = { symbols, timeframe, from: request.from, to: request.to }
  const loaded = yield* loadCandles(candles, range, request)
  const method = request.method ?? "random"
  const seed = request.seed ?? seedOf(id)
  const points = pointsOf(space, method, request.max_trials ?? Limits.optimizeTrialsDefault, seed)
  const rate = request.in_sample_rate ?? 0.7
  const splitAt = splitTime(loaded, rate)
  const risk = request.risk === undefined ? strategy.risk_profile : request.risk
  const capital = request.initial_capital ?? Limits.capitalDefault
  const setting = toSetting(loaded, { capital, risk })
  const columns = loaded.datasets.map((dataset) => dataset.columns)
  return {
    definition,
    candles: loaded,
    points,
    ...splitSetting(setting, columns, splitAt),
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

/** Which of two trials comes first: the better one, and of equals the one that was proposed first. */
const byScore =
  (objective: OptimizationReport["config"]["objective"]) =>
  (one: Trial, other: Trial): number =>
    Number(other.is_eligible) - Number(one.is_eligible) ||
    scoreOf(objective, other.objective) - scoreOf(objective, one.objective) ||
    one.index - other.index

/** Runs the trials; gives those that were finished where the run is cancelled. */
const tryAll = Effect.fnUntraced(function* (
  { pool, tried }: World,
  id: string,
  { before, config, definition, points }: Plan,
  handle: RunHandle
): Effect.fn.Return<
  { readonly trials: ReadonlyArray<Trial>; readonly isComplete: boolean },
  TaskFailed
> {
  const trials: Array<Trial> = []
  const better = byScore(config.objective)
  let best: Trial | null = null
  const starts = Array.from(
    { length: Math.ceil(points.length / trialsPerTask) },
    (_, index) => index * trialsPerTask
  )
  const runChunk = Effect.fnUntraced(function* (first: number) {
    const chunk = points.slice(first, first + trialsPerTask)
    const { objective } = config
    const results = yield* pool.run({
      ...before,
      type: "trials",
      definition,
      points: chunk,
      objective
    })
    results.forEach((result, offset) => {
      if (result === null) return
      const index = first + offset
      const trial: Trial = {
        index,
        parameters: points[index]!,
        objective: result.objective,
        position_count: result.positionCount,
        is_eligible: result.objective !== null && result.positionCount >= config.min_positions
      }
      trials.push(trial)
      if (trial.is_eligible && (best === null || better(trial, best) < 0)) best = trial
    })
    tried.set(id, {
      completed_trials: trials.length,
      total_trials: points.length,
      best_so_far: best
    })
    yield* handle.report(0.05 + (0.85 * trials.length) / points.length, "search")
  })
  const all = Effect.forEach(starts, runChunk, { concurrency: pool.size, discard: true })
  const outcome = yield* handle.unlessCancelled(all)
  return { trials: trials.toSorted(better), isComplete: Option.isSome(outcome) }
})

/** A parameter set with its results in and out of sample. */
const measureBoth = Effect.fnUntraced(function* (
  { pool }: World,
  { after, before, definition, config }: Plan,
  values: ParameterValues
): Effect.fn.Return<Candidate, TaskFailed> {
  const [inside, outside] = yield* Effect.forEach(
    [before, after],
    (setting) => pool.run({ ...setting, type: "backtest", definition, values }),
    { concurrency: 2 }
  )
  return {
    parameters: values,
    in_sample: toMeasured(inside!.measured, inside!.time, config.timeframe),
    out_of_sample: toMeasured(outside!.measured, outside!.time, config.timeframe)
  }
})

const warningsOf = (plan: Plan, trials: ReadonlyArray<Trial>): ReadonlyArray<string> => {
  const warnings: Array<string> = []
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

const compute = Effect.fnUntraced(function* (
  world: World,
  optimization: Optimization,
  handle: RunHandle
): Effect.fn.Return<Pick<Optimization, "status" | "report">, Problem | StoreError | TaskFailed> {
  yield* handle.report(0.02, "load")
  const plan = yield* planRun(world, optimization)
  const { trials, isComplete } = yield* tryAll(world, optimization.id, plan, handle)
  yield* handle.report(0.92, "judge")
  const best = trials.find((trial) => trial.is_eligible)
  const measured = best === undefined ? null : yield* measureBoth(world, plan, best.parameters)
  const original = yield* measureBoth(world, plan, defaultValues(plan.definition))
  yield* handle.report(0.98, "report")
  return {
    status: isComplete ? "completed" : "cancelled",
    report: {
      config: plan.config,
      data_quality: qualityOf(plan.candles),
      engine_version: engineVersion,
      best: measured,
      original,
      trials: trials.slice(0, Limits.reportTrialsMaxCount),
      trial_count: trials.length,
      eligible_count: trials.filter((trial) => trial.is_eligible).length,
      warnings: warningsOf(plan, trials)
    }
  }
})
