/**
 * The input of a run's work, and the progress that is written meanwhile.
 *
 * @since 0.1.0
 */
import { Clock, Deferred, Effect, Option } from "effect"
import type { StoreError } from "../../domain/StoreError.ts"
import type { RunCheckpoints } from "../../ports/RunCheckpoints.ts"
import type { Transactor } from "../../ports/Transactor.ts"
import type { LocalRun, RunQueue } from "./runQueue.ts"
import type { RunHandle, RunProgress } from "./RunSource.ts"

/** The runs of this process, and where their steps are kept. */
export interface RunServices {
  readonly queue: RunQueue
  readonly checkpoints: RunCheckpoints["Service"]
  readonly transactor: Transactor["Service"]
}

type Save = (progress: RunProgress) => Effect.Effect<unknown, StoreError>

const savingMs = 250

/** The step that stands for a wish to end the run, wherever it is. */
export const cancelStep = "cancel"

const etaOf = ({ nowMs, progress, startedMs }: LocalRun): number | null => {
  if (progress <= 0) return null
  const elapsed = (nowMs - startedMs) / 1000
  return Math.max(0, Math.round((elapsed / progress) * (1 - progress)))
}

/** How far a run of this process is. */
export const progressOf = (queue: RunQueue, run: LocalRun): RunProgress => ({
  status: run.status,
  queuePosition: queue.positionOf(run),
  progress: run.progress,
  step: run.step,
  etaSeconds: etaOf(run)
})

/** Writes the changes since the last time: the steps with their progress. */
const saverOf = (
  { checkpoints, queue, transactor }: RunServices,
  run: LocalRun,
  save: Save
): Effect.Effect<void, StoreError> => {
  let saved = ""
  return Effect.suspend(() => {
    const progress = progressOf(queue, run)
    const text = `${progress.status} ${progress.step} ${progress.progress}`
    const found = [...run.unsaved]
    if (text === saved && found.length === 0) return Effect.void
    const saving =
      found.length === 0
        ? save(progress)
        : transactor.transact(Effect.andThen(checkpoints.keep(run.id, found), save(progress)))
    return Effect.map(saving, () => {
      saved = text
      run.unsaved.splice(0, found.length)
    })
  })
}

/** Ends the run where any process has written down a wish for that. */
const heedWish = (
  { checkpoints, queue }: RunServices,
  run: LocalRun
): Effect.Effect<void, StoreError> =>
  Effect.suspend(() =>
    run.status === "cancelling"
      ? Effect.void
      : Effect.flatMap(checkpoints.get(run.id, cancelStep), (wish) =>
          Option.isSome(wish) ? queue.cancel(run) : Effect.void
        )
  )

const saveNowAndThen = (services: RunServices, run: LocalRun, save: Save): Effect.Effect<never> => {
  const both = Effect.andThen(heedWish(services, run), saverOf(services, run, save))
  // A write that was begun is ended, so that the next writer knows the version.
  const once = Effect.ignore(Effect.uninterruptible(both))
  return Effect.forever(Effect.andThen(Effect.sleep(savingMs), once))
}

/** The handle of a run that has its turn here. */
export const handleOf = (services: RunServices, run: LocalRun): RunHandle => ({
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
  saving: (save, effect) => Effect.raceFirst(effect, saveNowAndThen(services, run, save)),
  unlessCancelled: (effect) =>
    Effect.raceFirst(Effect.asSome(effect), Effect.as(Deferred.await(run.cancelled), Option.none()))
})
