/**
 * A process that takes a data directory, says so, and holds it until it is ended.
 */
import { Effect } from "effect"
import { lockDirectory } from "../../src/internal/DirectoryLock.ts"

const hold = lockDirectory(process.argv[2]!).pipe(
  Effect.matchEffect({
    onFailure: ({ message }) => Effect.sync(() => console.log(`refused ${message}`)),
    onSuccess: () =>
      Effect.andThen(
        Effect.sync(() => console.log("held")),
        Effect.never
      )
  }),
  Effect.scoped
)

// What holds a process that only waits.
setInterval(() => undefined, 1000).ref()
await Effect.runPromise(hold)
process.exit(0)
