/**
 * The queue of generations, optimizations and backtests: who is next, how far one is, and how it is cancelled.
 *
 * @since 0.1.0
 */
import { Clock, Context, Deferred, Effect, FiberSet, Layer, Option } from "effect"
import { Limits } from "../domain/Limits.ts"
import { type Problem, problem } from "../domain/Problem.ts"
import type { RunStep } from "../domain/Run.ts"
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
  /** An effect that is interrupted when the run is cancelled; none then. */
  readonly unlessCancelled: <A, E, R>(
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<Option.Option<A>, E, R>
}

/** A run to be carried out; `work` keeps its own results and never fails. @category models @since 0.1.0 */
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
    /** Fails with `quota_exceeded` where the account has as many runs waiting as it may. */
    readonly checkQuota: (accountId: string) => Effect.Effect<void, Problem>

    /** Puts a run at the end of the queue. */
    readonly submit: (request: RunRequest) => Effect.Effect<void>

    /** How far a run is; none where it is over or not here. */
    readonly progressOf: (id: string) => Effect.Effect<Option.Option<RunProgress>>

    /** Asks a run to end; one that is still waiting is carried out at once, and finds itself cancelled. */
    readonly cancel: (id: string) => Effect.Effect<void>

    /** Waits until a run is over, at most so many seconds. */
    readonly wait: (id: string, seconds: number) => Effect.Effect<void>
  }
>()("@candlewick/core/services/Runs") {
  /** A queue that carries out as many runs at once as there are worker threads. */
  static readonly layer = Layer.effect(
    Runs,
    Effect.gen(function* () {
      const pool = yield* WorkerPool
      return yield* makeRuns(pool.size)
    })
  )
}

interface Run {
  readonly request: RunRequest
  readonly cancelled: Deferred.Deferred<void>
  readonly over: Deferred.Deferred<void>
  status: RunProgress["status"]
  progress: number
  step: RunStep
  startedMs: number
  nowMs: number
}

const makeRuns = Effect.fnUntraced(function* (concurrency: number) {
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
    unlessCancelled: (effect) =>
      Effect.raceFirst(
        Effect.asSome(effect),
        Effect.as(Deferred.await(run.cancelled), Option.none())
      )
  })

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
    checkQuota: (accountId) =>
      Effect.suspend(() => {
        const count = waiting.filter(({ request }) => request.accountId === accountId).length
        if (count < Limits.runsQueuedPerAccountMax) return Effect.void
        const message = `An account has at most ${Limits.runsQueuedPerAccountMax} runs waiting.`
        return Effect.fail(problem("quota_exceeded", message, { retry_after_seconds: 10 }))
      }),

    submit: Effect.fnUntraced(function* (request) {
      const run: Run = {
        request,
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
      Effect.sync(() => {
        const run = runs.get(id)
        if (run === undefined) return Option.none()
        const at = waiting.indexOf(run)
        return Option.some({
          status: run.status,
          queuePosition: at < 0 ? null : at + 1,
          progress: run.progress,
          step: run.step,
          etaSeconds: etaOf(run)
        })
      }),

    cancel: Effect.fnUntraced(function* (id) {
      const run = runs.get(id)
      if (run === undefined) return
      run.status = "cancelling"
      yield* Deferred.succeed(run.cancelled, undefined)
      const at = waiting.indexOf(run)
      if (at < 0) return
      waiting.splice(at, 1)
      runningCount++
      yield* FiberSet.run(fibres, carryOut(run))
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
