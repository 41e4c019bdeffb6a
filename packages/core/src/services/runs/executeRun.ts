/**
 * A run that the engine has brought here, from its place in the queue to its end.
 *
 * A store that is away for a while delays it, and one that refuses the run's record ends it.
 *
 * @since 0.1.0
 */
import { Clock, Deferred, Effect } from "effect"
import type { StoreError } from "../../domain/StoreError.ts"
import type { RunRef } from "./RunEngine.ts"
import { WorkClass } from "../WorkClass.ts"
import { cancelStep, handleOf, type RunServices } from "./runHandle.ts"
import type { LocalRun } from "./runQueue.ts"
import type { RunSource } from "./RunSource.ts"

const firstWaitMs = 100
const longestWaitMs = 10_000
/** Refusals in a row that no waiting mends, after which a run has failed. */
const refusalsMax = 8

const workOn = Effect.fnUntraced(function* (
  services: RunServices,
  source: RunSource,
  run: LocalRun
) {
  const { checkpoints, queue } = services
  run.startedMs = yield* Clock.currentTimeMillis
  run.nowMs = run.startedMs
  for (const { step, value } of yield* checkpoints.list(run.id)) run.kept.set(step, value)
  if (run.kept.delete(cancelStep)) yield* queue.cancel(run)
  yield* source.execute(run, handleOf(services, run))
  // Progress was written while the run was being ended.
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
    const isLast = error.isContentRefused || (!error.isRetryable && failureCount >= refusalsMax)
    if (isLast) return orElse(error)
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

/** Carries a run out when it has its turn; an engine that brings one twice gets one answer. */
export const executeRun = (
  services: RunServices,
  source: RunSource,
  ref: RunRef
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { queue } = services
    const here = queue.get(ref.id)
    if (here !== undefined && here.place !== "expected") return Deferred.await(here.over)
    return Effect.acquireUseRelease(
      queue.arrive(ref),
      (run) =>
        persistOrFail(source, run, source.requeue(run)).pipe(
          Effect.andThen(Deferred.await(run.turn)),
          Effect.andThen(persistOrFail(source, run, workOn(services, source, run)))
        ),
      queue.leave
    )
  }).pipe(
    Effect.catchDefect((defect) => Effect.logError(`run ${ref.id} died`, defect)),
    Effect.provideService(WorkClass, "runs")
  )
