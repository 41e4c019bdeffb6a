/**
 * The queue of generations, optimizations and backtests: who is next, how far one is, and how it is
 * cancelled.
 *
 * @since 0.1.0
 */
import { Clock, Context, Deferred, Effect, FiberSet, Layer, Option } from "effect"
import { Limits } from "../domain/Limits.ts"
import { type Problem, problem } from "../domain/Problem.ts"
import type { RunStep } from "../domain/Run.ts"
import type { StoreError } from "../domain/StoreError.ts"
import { WorkerPool } from "./WorkerPool.ts"

/** How far a run is. @category models @since 0.1.0 */
export interface RunProgress {
  readonly status: "queued" | "running" | "cancelling"
  /** Place in the queue, from 1, or null where it is running. */
  readonly queuePosition: number | null
  readonly progress: number
  readonly step: RunStep
  readonly etaSeconds: number | null
}

/** What a run's work is given. @category models @since 0.1.0 */
export interface RunHandle {
  /** Says how far the work is. */
  readonly report: (progress: number, step: RunStep) => Effect.Effect<void>
  /** Whether it is to end. */
  readonly isCancelled: Effect.Effect<boolean>
  /**
   * Holds a number other than 0 once the run is to end; a task that is given it ends early with
   * what it has.
   */
  readonly stop: SharedArrayBuffer
  /** Writes down how far the run is while an effect goes on, at most four times a second. */
  readonly saving: <A, E, R>(
    save: (progress: RunProgress) => Effect.Effect<unknown, StoreError>,
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  /** An effect that is interrupted when the run is cancelled; none then. */
  readonly unlessCancelled: <A, E, R>(
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<Option.Option<A>, E, R>
}

/**
 * A run to be carried out; `work` keeps its own results and never fails.
 *
 * @category models
 * @since 0.1.0
 */
export interface RunRequest {
  readonly id: string
  readonly accountId: string
  readonly work: (handle: RunHandle) => Effect.Effect<void>
}

/**
 * The queue of runs in this process.
 *
 * @category services
 * @since 0.1.0
 */
export class Runs extends Context.Service<
  Runs,
  {
    /**
     * Carries out what keeps a record and submits its run, with a place in the queue held for it;
     * fails with `quota_exceeded` where the account has as many runs waiting as it may.
     */
    readonly admit: <A, E, R>(
      accountId: string,
      effect: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Problem, R>

    /** Puts a run at the end of the queue. */
    readonly submit: (request: RunRequest) => Effect.Effect<void>

    /** How far a run is; none where it is over or not here. */
    readonly progressOf: (id: string) => Effect.Effect<Option.Option<RunProgress>>

    /**
     * Asks a run to end; one that is still waiting is carried out at once, finds itself cancelled,
     * and is over when this returns.
     */
    readonly cancel: (id: string) => Effect.Effect<void>

    /** Waits until a run is over, at most so many seconds. */
    readonly wait: (id: string, seconds: number) => Effect.Effect<void>
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
  /** Runs at once; one that is short need not wait for one that is long. */
  readonly concurrency?: number | undefined
  /** Runs of one account that may wait. */
  readonly queuedMax?: number | undefined
}

const savingMs = 250

interface Run {
  readonly request: RunRequest
  readonly cancelled: Deferred.Deferred<void>
  readonly stop: SharedArrayBuffer
  readonly over: Deferred.Deferred<void>
  status: RunProgress["status"]
  progress: number
  step: RunStep
  startedMs: number
  nowMs: number
}

const makeRuns = Effect.fnUntraced(function* (options: RunsOptions) {
  const { size } = yield* WorkerPool
  const concurrency = Math.max(1, options.concurrency ?? Math.max(2, size))
  const queuedMax = options.queuedMax ?? Limits.runsQueuedPerAccountMax
  const admitted = new Map<string, number>()
  const fibres = yield* FiberSet.make()
  const runs = new Map<string, Run>()
  const waiting: Array<Run> = []
  let runningCount = 0

  const handleOf = (run: Run): RunHandle => ({
    report: (progress, step) =>
      Effect.map(Clock.currentTimeMillis, (nowMs) => {
        run.progress = Math.max(run.progress, Math.min(1, progress))
        run.step = step
        run.nowMs = nowMs
      }),
    isCancelled: Deferred.isDone(run.cancelled),
    stop: run.stop,
    saving: (save, effect) => Effect.raceFirst(effect, saveNowAndThen(run, save)),
    unlessCancelled: (effect) =>
      Effect.raceFirst(
        Effect.asSome(effect),
        Effect.as(Deferred.await(run.cancelled), Option.none())
      )
  })

  const progressOf = (run: Run): RunProgress => {
    const at = waiting.indexOf(run)
    return {
      status: run.status,
      queuePosition: at < 0 ? null : at + 1,
      progress: run.progress,
      step: run.step,
      etaSeconds: etaOf(run)
    }
  }

  const saveNowAndThen = (
    run: Run,
    save: (progress: RunProgress) => Effect.Effect<unknown, StoreError>
  ): Effect.Effect<never> => {
    let saved = ""
    const saveOnce = Effect.suspend(() => {
      const progress = progressOf(run)
      const text = `${progress.status} ${progress.step} ${progress.progress}`
      if (text === saved) return Effect.void
      saved = text
      // A write that was begun is ended, so that whoever writes next knows the version.
      return Effect.ignore(Effect.uninterruptible(save(progress)))
    })
    return Effect.forever(Effect.andThen(Effect.sleep(savingMs), saveOnce))
  }

  const carryOut = (run: Run) =>
    Effect.gen(function* () {
      if (run.status === "queued") run.status = "running"
      run.startedMs = yield* Clock.currentTimeMillis
      run.nowMs = run.startedMs
      yield* run.request.work(handleOf(run))
    }).pipe(
      Effect.catchCause((cause) => Effect.logError(`run ${run.request.id} died`, cause)),
      Effect.ensuring(
        Effect.suspend(() => {
          runs.delete(run.request.id)
          runningCount--
          return Effect.andThen(Deferred.succeed(run.over, undefined), startNext)
        })
      )
    )

  const startNext: Effect.Effect<void> = Effect.suspend(() => {
    const run = runningCount < concurrency ? waiting.shift() : undefined
    if (run === undefined) return Effect.void
    runningCount++
    return Effect.andThen(FiberSet.run(fibres, carryOut(run)), startNext)
  })

  const etaOf = ({ progress, startedMs, nowMs }: Run): number | null => {
    if (progress <= 0) return null
    const elapsed = (nowMs - startedMs) / 1000
    return Math.max(0, Math.round((elapsed / progress) * (1 - progress)))
  }

  return Runs.of({
    admit: <A, E, R>(accountId: string, effect: Effect.Effect<A, E, R>) =>
      Effect.suspend((): Effect.Effect<A, E | Problem, R> => {
        const holds = admitted.get(accountId) ?? 0
        const queued = waiting.filter(({ request }) => request.accountId === accountId).length
        if (queued + holds >= queuedMax) {
          const message = `An account has at most ${queuedMax} runs waiting.`
          return Effect.fail(problem("quota_exceeded", message, { retry_after_seconds: 10 }))
        }
        admitted.set(accountId, holds + 1)
        return Effect.ensuring(
          Effect.uninterruptible(effect),
          Effect.sync(() => admitted.set(accountId, admitted.get(accountId)! - 1))
        )
      }),

    submit: Effect.fnUntraced(function* (request) {
      if (runs.has(request.id)) return
      const run: Run = {
        request,
        stop: new SharedArrayBuffer(4),
        cancelled: yield* Deferred.make<void>(),
        over: yield* Deferred.make<void>(),
        status: "queued",
        progress: 0,
        step: "queue",
        startedMs: 0,
        nowMs: 0
      }
      runs.set(request.id, run)
      waiting.push(run)
      yield* startNext
    }),

    progressOf: (id) =>
      Effect.sync(() => Option.map(Option.fromNullishOr(runs.get(id)), progressOf)),

    cancel: Effect.fnUntraced(function* (id) {
      const run = runs.get(id)
      if (run === undefined) return
      run.status = "cancelling"
      Atomics.store(new Int32Array(run.stop), 0, 1)
      yield* Deferred.succeed(run.cancelled, undefined)
      const at = waiting.indexOf(run)
      if (at < 0) return
      waiting.splice(at, 1)
      runningCount++
      yield* FiberSet.run(fibres, carryOut(run))
      yield* Deferred.await(run.over)
    }),

    wait: (id, seconds) =>
      Effect.suspend(() => {
        const run = runs.get(id)
        return run === undefined
          ? Effect.void
          : Effect.asVoid(Effect.timeoutOption(Deferred.await(run.over), `${seconds} seconds`))
      })
  })
})
