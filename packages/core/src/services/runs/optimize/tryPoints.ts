/**
 * Many parameter sets over the threads, in chunks that a process which takes the run up again need
 * not compute once more.
 *
 * @since 0.1.0
 */
import { engineVersion } from "@candlewick/engine"
import { Effect, Option } from "effect"
import { rememberedSteps } from "../rememberedSteps.ts"
import type { RunHandle } from "../RunSource.ts"
import type { TaskFailed, WorkerPool } from "../workers/WorkerPool.ts"
import { type TrialResult, type TrialsTask, trialsPerTask } from "./runTrials.ts"
import { keepTrial, KeptTrials, recallTrial } from "./trialTable.ts"

/** Gets the results of the points from `first` on; null is one that was not run to its end. */
export type TakeResults = (
  first: number,
  results: ReadonlyArray<TrialResult | null>
) => Effect.Effect<void>

/** Runs the points of a task; false where the run is cancelled before their end. */
export const tryPoints = Effect.fnUntraced(function* (
  pool: WorkerPool["Service"],
  handle: RunHandle,
  task: TrialsTask,
  take: TakeResults
): Effect.fn.Return<boolean, TaskFailed> {
  const { points } = task
  const perTask = trialsPerTask(task)
  const question = [engineVersion, perTask, task]
  const steps = yield* rememberedSteps(handle, question, KeptTrials)
  const runChunk = Effect.fnUntraced(function* (first: number) {
    const chunk = points.slice(first, first + perTask)
    const results = yield* pool.run({ ...task, points: chunk })
    const whole = results.filter((result) => result !== null)
    if (whole.length === chunk.length) yield* steps.keep(first, whole.map(keepTrial))
    yield* take(first, results)
  })
  const missing: Array<number> = []
  for (let first = 0; first < points.length; first += perTask) {
    const found = Option.getOrNull(steps.find(first))
    if (found === null) missing.push(first)
    else yield* take(first, found.map(recallTrial))
  }
  const all = Effect.forEach(missing, runChunk, { concurrency: pool.size, discard: true })
  return Option.isSome(yield* handle.unlessCancelled(all))
})
