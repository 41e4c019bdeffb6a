/**
 * A process that takes a data directory, collects its garbage, says so, and holds it until it is
 * ended.
 */
import { Effect } from "effect"
import { lockDirectory } from "../../src/internal/DirectoryLock.ts"

let answer: string | undefined

const hold = lockDirectory(process.argv[2]!).pipe(
  Effect.matchEffect({
    onFailure: ({ message }) =>
      Effect.sync(() => {
        answer = `refused ${message}`
      }),
    onSuccess: () =>
      Effect.andThen(
        Effect.sync(() => {
          answer = "held"
        }),
        Effect.never
      )
  }),
  Effect.scoped
)

// An interval keeps a process that only waits. A lock that garbage collection frees is none.
setInterval(() => {
  if (answer === undefined) return
  globalThis.gc?.()
  globalThis.gc?.()
  console.log(answer)
  if (answer !== "held") process.exit(0)
  answer = undefined
}, 10)
await Effect.runPromise(hold)
