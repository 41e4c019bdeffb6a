/**
 * Optimizations: started, followed, cancelled and read.
 *
 * @since 0.1.0
 */
import { Context, Effect, Layer } from "effect"
import type { Optimization, OptimizeRequest } from "../domain/Optimization.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import { type Problem, problem } from "../domain/Problem.ts"
import { finishedRunStatuses } from "../domain/RunMachine.ts"
import type { StoreError } from "../domain/StoreError.ts"
import { OptimizationStore } from "../ports/OptimizationStore.ts"
import { StrategyStore } from "../ports/StrategyStore.ts"
import { Transactor } from "../ports/Transactor.ts"
import { Candles } from "./Candles.ts"
import { Events } from "./Events.ts"
import { Ids } from "./Ids.ts"
import { announce, nowTimestamp } from "./internal/botPorts.ts"
import { required } from "./internal/refusals.ts"
import { optimizeStrategy, spaceOf, type Tried } from "./internal/runs/optimizeStrategy.ts"
import {
  checkRange,
  endOfRun,
  queuedRun,
  strategyOfRun,
  withProgress
} from "./internal/runs/runRecords.ts"
import { findCandles } from "./internal/runs/runSetting.ts"
import { type RunHandle, type RunProgress, Runs } from "./Runs.ts"
import { WorkerPool } from "./WorkerPool.ts"

/**
 * Optimizations of an account.
 *
 * @category services
 * @since 0.1.0
 */
export class Optimizations extends Context.Service<
  Optimizations,
  {
    /**
     * Puts a run in the queue and answers at once; fails with `unknown_strategy` or
     * `quota_exceeded`.
     */
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
  /**
   * Optimizations over the stores and the worker threads; what a restart interrupted is queued
   * again.
   */
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
    tried: new Map() as Tried
  }
})

type World = Effect.Success<typeof makeWorld>

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
      handle.saving(save, optimizeStrategy(world, kept, handle)),
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
