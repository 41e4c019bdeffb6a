/**
 * The queue of generations, optimizations and backtests, over all processes that share a store.
 *
 * The services of runs (`Strategies`, `Optimizations`, `Backtests`) serve their kinds here, begin
 * runs here and cancel them here. The process that executes a run reports its progress, and the
 * stores answer for the other runs. A caller so may ask any process.
 *
 * The queue never reads a strategy or a candle, and never writes a report: the `RunSource` of each
 * kind does.
 *
 * **Example** (A backtest on its way through the queue)
 *
 * ```ts setup=trend
 * import { Candlewick } from "@candlewick/core"
 * import { MemoryStore } from "@candlewick/store-memory"
 *
 * const candlewick = await Candlewick.open({ store: MemoryStore.layer })
 * await candlewick.candles.import({ key: { symbol: "BTC/USD", timeframe: "1d" }, columns })
 * const { id } = await candlewick.strategies.write({ name: "trend", definition: trend })
 * const queued = await candlewick.backtests.start({ strategy_id: id })
 * const { report, status } = await candlewick.backtests.wait(queued.id, 30)
 * console.log(status, report?.position_count)
 * await candlewick.close()
 * ```
 *
 * ```text output
 * completed 12
 * ```
 *
 * @since 0.1.0
 */
import { Context, Deferred, Effect, Layer, Option, type Scope } from "effect"
import { Limits } from "../../domain/Limits.ts"
import { type Problem, problem } from "../../domain/Problem.ts"
import type { RecentRequest, RunKind, RunNote } from "../../domain/Run.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { RunCheckpoints } from "../../ports/RunCheckpoints.ts"
import { Transactor } from "../../ports/Transactor.ts"
import { lockAccount } from "../accounts/checkQuota.ts"
import { transactOnce } from "../transactOnce.ts"
import { executeRun } from "./executeRun.ts"
import { recentRuns } from "./recentRuns.ts"
import { RunEngine, type RunRef } from "./RunEngine.ts"
import { cancelStep, progressOf, type RunServices } from "./runHandle.ts"
import { idAsOldAs, type LocalRun, RunQueue } from "./runQueue.ts"
import type { RunProgress, RunSource } from "./RunSource.ts"
import { arrival, takeUpRuns } from "./takeUpRuns.ts"
import { WorkerPool } from "./workers/WorkerPool.ts"

/**
 * The queue of runs.
 *
 * @category services
 * @since 0.1.0
 */
export class Runs extends Context.Service<
  Runs,
  {
    /**
     * Carries runs of a kind out while the scope lives; those that are left over come first. Where
     * the store can't say which these are it is asked again, soon at first.
     */
    readonly serve: (kind: RunKind, source: RunSource) => Effect.Effect<void, never, Scope.Scope>

    /**
     * Keeps the record of a run and has the run executed. Fails with `quota_exceeded` where the
     * account already has its maximum of waiting runs.
     */
    readonly begin: <A extends { readonly id: string }, E, R>(
      kind: RunKind,
      accountId: string,
      insert: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Problem | StoreError, R>

    /** How far a run is; none where it is over or not here. */
    readonly progressOf: (id: string) => Effect.Effect<Option.Option<RunProgress>>

    /** The place of a run that waits, among all that do, wherever, from 1. */
    readonly positionOf: (id: string) => Effect.Effect<number, StoreError>

    /**
     * The progress of an account's unfinished runs. It has the runs of `also` and the runs made
     * after the id `after` too, in any state. Of those that wait for another process, only the
     * first few are given their places: each has to be counted.
     */
    readonly listRecent: (
      accountId: string,
      request: RecentRequest
    ) => Effect.Effect<ReadonlyArray<RunNote>, StoreError>

    /** Asks a run to end; one that is still waiting is over when this returns. */
    readonly cancel: (kind: RunKind, run: RunRef) => Effect.Effect<void, StoreError>

    /** Waits until a run is over, at most so many seconds. */
    readonly wait: (
      id: string,
      seconds: number,
      isOver: Effect.Effect<boolean, Problem | StoreError>
    ) => Effect.Effect<void, Problem | StoreError>
  }
>()("@candlewick/core/services/Runs") {
  /**
   * A queue that carries out as many runs at once as there are worker threads, and two at least.
   */
  static readonly layer = Layer.effect(
    Runs,
    Effect.suspend(() => makeRuns({}))
  )

  /** The same with other numbers. */
  static readonly layerWith = (options: RunsOptions) => Layer.effect(Runs, makeRuns(options))
}

/** How runs are queued. @category models @since 0.1.0 */
export interface RunsOptions {
  /** Runs at once in this process; one that is short need not wait for one that is long. */
  readonly concurrency?: number | undefined
  /** Runs of one account that may wait. */
  readonly queuedMax?: number | undefined
}

/** The kinds of run that this process serves, and the ports that serve it. */
interface QueueServices extends RunServices {
  readonly engine: RunEngine["Service"]
  readonly queuedMax: number
  readonly sources: Map<RunKind, RunSource>
}

const pollMs = 250

/** A run that the engine has brought to this process. */
const runHere = (queue: RunQueue, id: string): LocalRun | null => {
  const run = queue.get(id)
  return run === undefined || run.place === "expected" ? null : run
}

/** How many wait, of every kind: of an account, or those that came before a run. */
const countQueued = (
  { queue, sources }: QueueServices,
  which: { readonly accountId: string } | { readonly olderThan: string }
) =>
  Effect.suspend(() => {
    // Records of runs that have begun here may not say so yet.
    const except = queue.running()
    return Effect.reduce(
      sources,
      () => 0,
      (sum, [kind, { countQueued: count }]) => {
        const request =
          "olderThan" in which
            ? { before: idAsOldAs(kind, which.olderThan), except }
            : { ...which, except }
        return Effect.map(count(request), (counted) => sum + counted)
      }
    )
  })

/** Keeps a record where the account may have one more run waiting. */
const insertWithinQuota = Effect.fnUntraced(function* <A, E, R>(
  services: QueueServices,
  accountId: string,
  insert: Effect.Effect<A, E, R>
) {
  const { queuedMax, transactor } = services
  yield* lockAccount(transactor, accountId)
  if ((yield* countQueued(services, { accountId })) >= queuedMax) {
    const message = `An account has at most ${queuedMax} runs waiting.`
    return yield* problem("quota_exceeded", message, { retry_after_seconds: 10 })
  }
  return yield* insert
})

const begin = Effect.fnUntraced(function* <A extends { readonly id: string }, E, R>(
  services: QueueServices,
  kind: RunKind,
  accountId: string,
  insert: Effect.Effect<A, E, R>
) {
  const { engine, queue, transactor } = services
  const admitted = insertWithinQuota(services, accountId, insert)
  const kept = yield* Effect.uninterruptible(
    Effect.tap(transactOnce(transactor, "begin", admitted), ({ id }) => {
      queue.expect({ id, accountId })
      return engine.execute(kind, { id, accountId })
    })
  )
  yield* arrival(queue, kept.id)
  return kept
})

const cancel = Effect.fnUntraced(function* (
  { checkpoints, queue, sources }: QueueServices,
  kind: RunKind,
  ref: RunRef
) {
  yield* checkpoints.keep(ref.id, [{ step: cancelStep, value: true }])
  const run = runHere(queue, ref.id)
  if (run === null) return yield* sources.get(kind)?.cancelQueued(ref) ?? Effect.void
  const isWaiting = run.place === "waiting"
  yield* queue.cancel(run)
  if (isWaiting) yield* Deferred.await(run.over)
})

const wait = (
  queue: RunQueue,
  id: string,
  seconds: number,
  isOver: Effect.Effect<boolean, Problem | StoreError>
): Effect.Effect<void, Problem | StoreError> => {
  const look: Effect.Effect<void, Problem | StoreError> = Effect.suspend(() => {
    const isDone = runHere(queue, id) === null ? isOver : Effect.succeed(false)
    return Effect.flatMap(isDone, (done) =>
      done ? Effect.void : Effect.andThen(Effect.sleep(pollMs), look)
    )
  })
  return Effect.suspend(() => {
    const run = queue.get(id)
    const over = run === undefined ? look : Effect.raceFirst(Deferred.await(run.over), look)
    return Effect.asVoid(Effect.timeoutOption(over, `${seconds} seconds`))
  })
}

const makeRuns = Effect.fnUntraced(function* (options: RunsOptions) {
  const { size } = yield* WorkerPool
  const services: QueueServices = {
    engine: yield* RunEngine,
    checkpoints: yield* RunCheckpoints,
    transactor: yield* Transactor,
    queue: new RunQueue(Math.max(1, options.concurrency ?? Math.max(2, size))),
    queuedMax: options.queuedMax ?? Limits.runsQueuedPerAccountMax,
    sources: new Map()
  }
  const { engine, queue, sources } = services

  const localProgress = (id: string): Option.Option<RunProgress> =>
    Option.map(Option.fromNullOr(runHere(queue, id)), (run) => progressOf(queue, run))

  const positionOf = (id: string) =>
    Effect.map(countQueued(services, { olderThan: id }), (count) => count + 1)

  return Runs.of({
    serve: Effect.fnUntraced(function* (kind, source) {
      sources.set(kind, source)
      yield* engine.serve(kind, (ref) => executeRun(services, source, ref))
      yield* takeUpRuns(services, kind, source)
    }),
    begin: (kind, accountId, insert) => begin(services, kind, accountId, insert),
    progressOf: (id) => Effect.sync(() => localProgress(id)),
    positionOf,
    listRecent: (accountId, request) =>
      recentRuns({ accountId, request, sources, progressOf: localProgress, positionOf }),
    cancel: (kind, ref) => cancel(services, kind, ref),
    wait: (id, seconds, isOver) => wait(queue, id, seconds, isOver)
  })
})
