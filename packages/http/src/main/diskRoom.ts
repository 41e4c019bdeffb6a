/**
 * Whether the disk of a store has room for more.
 *
 * @since 0.1.0
 */
import { type Problem, problem } from "@candlewick/core"
import { Effect } from "effect"
import { statfs } from "node:fs/promises"

const freeMinMegabytes = 64
const megabyte = 1024 * 1024

/** The free megabytes at a directory. A place that can't be asked needs none. */
const freeMegabytes = (directory: string): Effect.Effect<number> =>
  Effect.tryPromise(() => statfs(directory)).pipe(
    Effect.match({
      onFailure: () => Number.POSITIVE_INFINITY,
      onSuccess: ({ bavail, bsize }) => (bavail * bsize) / megabyte
    })
  )

/** Fails where the disk of a directory is nearly full; `freeAt` asks it for its free megabytes. */
export const diskRoom = (directory: string, freeAt = freeMegabytes): Effect.Effect<void, Problem> =>
  Effect.flatMap(freeAt(directory), (free) =>
    free >= freeMinMegabytes
      ? Effect.void
      : Effect.fail(problem("unavailable", `less than ${freeMinMegabytes} MB are free on its disk`))
  )
