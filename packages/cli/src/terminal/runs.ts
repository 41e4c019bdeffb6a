/**
 * A run from its start to its end, as one command.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { say } from "./output.ts"
import { clearProgress, drawProgress, type Progress } from "./progress.ts"

/** A kind of run, by its operations. @category models @since 0.1.0 */
export interface RunCalls<Run, E> {
  readonly what: string
  readonly start: Effect.Effect<Run, E>
  readonly read: (id: string) => Effect.Effect<Run, E>
  readonly cancel: (id: string) => Effect.Effect<unknown, E>
  readonly isOver: (run: Run) => boolean
}

const firstLookMs = 50
const looksMaxMs = 1_000

/**
 * Starts a run and follows it to its end. A command that is interrupted cancels it, and says so.
 *
 * @category runs
 * @since 0.1.0
 */
export const runToEnd = <Run extends Progress & { readonly id: string }, E>({
  cancel,
  isOver,
  read,
  start,
  what
}: RunCalls<Run, E>) => {
  const follow = Effect.fnUntraced(function* (begun: Run) {
    let run = begun
    for (let waitMs = firstLookMs; !isOver(run); waitMs = Math.min(2 * waitMs, looksMaxMs)) {
      yield* drawProgress(what, run)
      yield* Effect.sleep(waitMs)
      run = yield* read(run.id)
    }
    return run
  })
  const giveUp = (id: string) =>
    Effect.andThen(clearProgress, cancel(id)).pipe(
      Effect.matchEffect({
        onSuccess: () => say(`The ${what} ${id} was cancelled.`),
        onFailure: () => say(`The ${what} ${id} may go on: it could not be cancelled.`)
      })
    )
  return Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(start, (begun) =>
      restore(follow(begun)).pipe(
        Effect.onInterrupt(() => giveUp(begun.id)),
        Effect.ensuring(clearProgress)
      )
    )
  )
}
