/**
 * The queue of generations, optimizations and backtests: who is next, how far one is, and how it is
 * cancelled.
 *
 * What is asked of a run is answered by the process that carries it out where that is this one, and
 * from the stores otherwise: any process may be asked.
 *
 * @since 0.1.0
 */
import { Clock, Context, Deferred, Effect, Layer, Option } from "effect"
import type { Scope } from "effect"
import { Limits } from "../../domain/Limits.ts"
import { type Problem, problem } from "../../domain/Problem.ts"
import type { RecentRequest, RunKind, RunNote } from "../../domain/Run.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { RunCheckpoints } from "../../ports/RunCheckpoints.ts"
import { Transactor } from "../../ports/Transactor.ts"
import { lockAccount } from "../accounts/checkQuota.ts"
import { recentRuns } from "./recentRuns.ts"
import { idAsOldAs, type LocalRun, RunQueue } from "./runQueue.ts"
import { transactOnce } from "../transactOnce.ts"
import type { RunHandle, RunProgress, RunSource } from "./RunSource.ts"
import { RunEngine, type RunRef } from "./RunEngine.ts"
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
     * Keeps the record of a run and has the run carried out; fails with `quota_exceeded` where the
     * account has as many runs waiting as it may.
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
     * How far an account's runs are that are not over, and how others stand or ended: those of
     * `also`, and those made after the id `after`, of whatever. Of those that wait for another
     * process, only the first few are told their places: each has to be counted.
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

const savingMs = 250
const pollMs = 250
/** How long an engine may take to bring a run here before it is taken to be elsewhere. */
const arrivalMs = 100
/** How often what other processes left is looked for, and how soon again after a failure. */
const sweepMs = 60_000
const sweepAgainMs = 1_000
const firstWaitMs = 100
const longestWaitMs = 10_000
/** Refusals in a row that no waiting mends, after which a run has failed. */
const refusalsMax = 8

/** The step that stands for a wish to end the run, wherever it is. */
const cancelStep = "cancel"

const etaOf = ({ nowMs, progress, startedMs }: LocalRun): number | null => {
  if (progress <= 0) return null
  const elapsed = (nowMs - startedMs) / 1000
  return Math.max(0, Math.round((elapsed / progress) * (1 - progress)))
}

const makeRuns = Effect.fnUntraced(function* (options: RunsOptions) {
  const { size } = yield* WorkerPool
  const engine = yield* RunEngine
  const checkpoints = yield* RunCheckpoints
  const transactor = yield* Transactor
  const { transact } = transactor
  const queue = new RunQueue(Math.max(1, options.concurrency ?? Math.max(2, size)))
  const queuedMax = options.queuedMax ?? Limits.runsQueuedPerAccountMax
  const sources = new Map<RunKind, RunSource>()

  const progressOf = (run: LocalRun): RunProgress => ({
    status: run.status,
    queuePosition: queue.positionOf(run),
    progress: run.progress,
    step: run.step,
    etaSeconds: etaOf(run)
  })

  const saveNowAndThen = (
    run: LocalRun,
    save: (progress: RunProgress) => Effect.Effect<unknown, StoreError>
  ): Effect.Effect<never> => {
    let saved = ""
    const saveOnce = Effect.suspend(() => {
      const progress = progressOf(run)
      const text = `${progress.status} ${progress.step} ${progress.progress}`
      const found = [...run.unsaved]
      if (text === saved && found.length === 0) return Effect.void
      const saving =
        found.length === 0
          ? save(progress)
          : transact(Effect.andThen(checkpoints.keep(run.id, found), save(progress)))
      return Effect.tap(saving, () =>
        Effect.sync(() => {
          saved = text
          run.unsaved.splice(0, found.length)
        })
      )
    })
    const lookOnce = Effect.suspend(() =>
      run.status === "cancelling"
        ? Effect.void
        : Effect.flatMap(checkpoints.get(run.id, cancelStep), (wish) =>
            Option.isSome(wish) ? queue.cancel(run) : Effect.void
          )
    )
    // A write that was begun is ended, so that whoever writes next knows the version.
    const once = Effect.ignore(Effect.uninterruptible(Effect.andThen(lookOnce, saveOnce)))
    return Effect.forever(Effect.andThen(Effect.sleep(savingMs), once))
  }

  const handleOf = (run: LocalRun): RunHandle => ({
    report: (progress, step) =>
      Effect.map(Clock.currentTimeMillis, (nowMs) => {
        run.progress = Math.max(run.progress, Math.min(1, progress))
        run.step = step
        run.nowMs = nowMs
      }),
    isCancelled: Deferred.isDone(run.cancelled),
    stop: run.stop,
    kept: run.kept,
    keep: (step, value) =>
      Effect.sync(() => {
        run.kept.set(step, value)
        run.unsaved.push({ step, value })
      }),
    saving: (save, effect) => Effect.raceFirst(effect, saveNowAndThen(run, save)),
    unlessCancelled: (effect) =>
      Effect.raceFirst(
        Effect.asSome(effect),
        Effect.as(Deferred.await(run.cancelled), Option.none())
      )
  })

  const workOn = Effect.fnUntraced(function* (source: RunSource, run: LocalRun) {
    run.startedMs = yield* Clock.currentTimeMillis
    run.nowMs = run.startedMs
    for (const { step, value } of yield* checkpoints.list(run.id)) run.kept.set(step, value)
    if (run.kept.delete(cancelStep)) yield* queue.cancel(run)
    yield* source.carryOut(run, handleOf(run))
    // What was written down while the run was being ended.
    yield* checkpoints.clear(run.id)
  })

  /** A store that is down leaves the run where it is until it is back. */
  const persist = (
    run: LocalRun,
    work: Effect.Effect<void, StoreError>,
    orElse: (refusal: StoreError) => Effect.Effect<void>,
    failureCount = 0
  ): Effect.Effect<void> =>
    Effect.catch(work, (error) => {
      if (!error.isRetryable && failureCount >= refusalsMax) return orElse(error)
      const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** failureCount)
      return Effect.logWarning(`run ${run.id} tries again in ${waitMs} ms`, error).pipe(
        Effect.andThen(Effect.sleep(waitMs)),
        Effect.andThen(persist(run, work, orElse, failureCount + 1))
      )
    })

  /** A run whose end the store refuses has failed; the next sweep takes one up that it lost. */
  const persistOrFail = (source: RunSource, run: LocalRun, work: Effect.Effect<void, StoreError>) =>
    persist(run, work, (refusal) =>
      Effect.logError(`run ${run.id} could not be kept`, refusal).pipe(
        Effect.andThen(persist(run, source.fail(run, refusal), Effect.die))
      )
    )

  const carryOut = (source: RunSource, ref: RunRef): Effect.Effect<void> =>
    Effect.suspend(() => {
      const here = queue.get(ref.id)
      // An engine that brings a run twice gets one answer.
      if (here !== undefined && here.place !== "expected") return Deferred.await(here.over)
      return Effect.flatMap(queue.arrive(ref), (run) =>
        persistOrFail(source, run, source.requeue(run)).pipe(
          Effect.andThen(Deferred.await(run.turn)),
          Effect.andThen(persistOrFail(source, run, workOn(source, run))),
          Effect.ensuring(queue.leave(run))
        )
      )
    }).pipe(Effect.catchDefect((defect) => Effect.logError(`run ${ref.id} died`, defect)))

  /** Waits until the engine has brought a run here, or has had the time to. */
  const arrival = (id: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      const run = queue.get(id)
      if (run === undefined) return Effect.void
      return Effect.map(
        Effect.timeoutOption(Deferred.await(run.arrived), arrivalMs),
        Option.match({ onNone: () => queue.forget(id), onSome: () => undefined })
      )
    })

  const takeUp = Effect.fnUntraced(function* (kind: RunKind, source: RunSource) {
    let isDone = true
    for (const one of yield* source.unfinished) {
      if (queue.get(one.id) !== undefined) continue
      if (!(yield* engine.takeUp(kind, one))) {
        isDone = false
        continue
      }
      queue.expect(one)
      yield* Effect.forkScoped(arrival(one.id))
    }
    return isDone
  })

  /** The same where the store may fail: whether every run was taken up. */
  const tryTakeUp = (kind: RunKind, source: RunSource) =>
    Effect.catch(takeUp(kind, source), (error) =>
      Effect.as(
        Effect.logWarning(`runs to take up (${kind}) could not be looked for`, error),
        false
      )
    )

  /** Takes up what processes leave that end before their runs do. */
  const sweep = (
    kind: RunKind,
    source: RunSource,
    failureCount: number
  ): Effect.Effect<never, never, Scope.Scope> => {
    const againMs = Math.min(sweepMs, sweepAgainMs * 2 ** (failureCount - 1))
    return Effect.sleep(failureCount === 0 ? sweepMs : againMs).pipe(
      Effect.andThen(tryTakeUp(kind, source)),
      Effect.flatMap((isDone) => sweep(kind, source, isDone ? 0 : failureCount + 1))
    )
  }

  /** How many wait, of every kind: of an account, or those that came before a run. */
  const countQueued = (which: { readonly accountId: string } | { readonly olderThan: string }) =>
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

  const localProgress = (id: string): Option.Option<RunProgress> => {
    const run = queue.get(id)
    return run === undefined || run.place === "expected"
      ? Option.none()
      : Option.some(progressOf(run))
  }

  const positionOf = (id: string) =>
    Effect.map(countQueued({ olderThan: id }), (count) => count + 1)

  return Runs.of({
    serve: Effect.fnUntraced(function* (kind, source) {
      sources.set(kind, source)
      yield* engine.serve(kind, (ref) => carryOut(source, ref))
      const isDone = yield* tryTakeUp(kind, source)
      yield* Effect.forkScoped(sweep(kind, source, isDone ? 0 : 1))
    }),

    begin: Effect.fnUntraced(function* (kind, accountId, insert) {
      const admitted = Effect.gen(function* () {
        yield* lockAccount(transactor, accountId)
        if ((yield* countQueued({ accountId })) >= queuedMax) {
          const message = `An account has at most ${queuedMax} runs waiting.`
          return yield* problem("quota_exceeded", message, { retry_after_seconds: 10 })
        }
        return yield* insert
      })
      const kept = yield* Effect.uninterruptible(
        Effect.tap(transactOnce(transactor, "begin", admitted), ({ id }) => {
          queue.expect({ id, accountId })
          return engine.execute(kind, { id, accountId })
        })
      )
      yield* arrival(kept.id)
      return kept
    }),

    progressOf: (id) => Effect.sync(() => localProgress(id)),
    positionOf,

    listRecent: (accountId, request) =>
      recentRuns({ accountId, request, sources, progressOf: localProgress, positionOf }),

    cancel: Effect.fnUntraced(function* (kind, ref) {
      yield* checkpoints.keep(ref.id, [{ step: cancelStep, value: true }])
      const run = queue.get(ref.id)
      if (run === undefined || run.place === "expected") {
        yield* sources.get(kind)?.cancelQueued(ref) ?? Effect.void
        return
      }
      const isWaiting = run.place === "waiting"
      yield* queue.cancel(run)
      if (isWaiting) yield* Deferred.await(run.over)
    }),

    wait: (id, seconds, isOver) => {
      const look: Effect.Effect<void, Problem | StoreError> = Effect.suspend(() => {
        const run = queue.get(id)
        const isHere = run !== undefined && run.place !== "expected"
        const isDone = isHere ? Effect.succeed(false) : isOver
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
  })
})
