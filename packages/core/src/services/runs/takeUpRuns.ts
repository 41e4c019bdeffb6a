/**
 * Runs that a process left before they were over: looked for at the start, and now and then.
 *
 * @since 0.1.0
 */
import { Deferred, Effect, Option, type Scope } from "effect"
import type { RunKind } from "../../domain/Run.ts"
import type { RunEngine } from "./RunEngine.ts"
import type { RunQueue } from "./runQueue.ts"
import type { RunSource } from "./RunSource.ts"

/** Where runs come from, and where they are expected. */
interface Expecting {
  readonly engine: RunEngine["Service"]
  readonly queue: RunQueue
}

/** How long an engine may take to bring a run here before it is taken to be elsewhere. */
const arrivalMs = 100
/** How often this process looks for runs of ended processes, and how soon again after a failure. */
const sweepMs = 60_000
const sweepAgainMs = 1_000

/** Waits until the engine has brought a run here, or has had the time to. */
export const arrival = (queue: RunQueue, id: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    const run = queue.get(id)
    if (run === undefined) return Effect.void
    return Effect.map(
      Effect.timeoutOption(Deferred.await(run.arrived), arrivalMs),
      Option.match({ onNone: () => queue.forget(id), onSome: () => undefined })
    )
  })

const takeUp = Effect.fnUntraced(function* (
  { engine, queue }: Expecting,
  kind: RunKind,
  source: RunSource
) {
  let isDone = true
  for (const one of yield* source.unfinished) {
    if (queue.get(one.id) !== undefined) continue
    if (!(yield* engine.takeUp(kind, one))) {
      isDone = false
      continue
    }
    queue.expect(one)
    yield* Effect.forkScoped(arrival(queue, one.id))
  }
  return isDone
})

/** The same where the store may fail: whether every run was taken up. */
const tryTakeUp = (services: Expecting, kind: RunKind, source: RunSource) =>
  Effect.catch(takeUp(services, kind, source), (error) =>
    Effect.as(Effect.logWarning(`runs to take up (${kind}) could not be looked for`, error), false)
  )

const sweep = (
  services: Expecting,
  kind: RunKind,
  source: RunSource,
  failureCount: number
): Effect.Effect<never, never, Scope.Scope> => {
  const againMs = Math.min(sweepMs, sweepAgainMs * 2 ** (failureCount - 1))
  return Effect.sleep(failureCount === 0 ? sweepMs : againMs).pipe(
    Effect.andThen(tryTakeUp(services, kind, source)),
    Effect.flatMap((isDone) => sweep(services, kind, source, isDone ? 0 : failureCount + 1))
  )
}

/** Takes up unfinished runs of ended processes, now and while the scope lives. */
export const takeUpRuns = Effect.fnUntraced(function* (
  services: Expecting,
  kind: RunKind,
  source: RunSource
) {
  const isDone = yield* tryTakeUp(services, kind, source)
  yield* Effect.forkScoped(sweep(services, kind, source, isDone ? 0 : 1))
})
