/**
 * Keeps a stream in a temporary file, for what has to be read from its end.
 *
 * @since 0.1.0
 */
import { Problem } from "@candlewick/core"
import { Effect, type Scope, Stream } from "effect"
import { randomUUID } from "node:crypto"
import { type FileHandle, open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A file that is open until the scope ends. @category models @since 0.1.0 */
export interface Spooled {
  readonly fd: number
  readonly byteLength: number
}

const noRoom = new Problem({
  code: "unavailable",
  detail: "The body can't be kept while it is read: there may be no room for it."
})

const unlessNoRoom = <A>(what: () => Promise<A>): Effect.Effect<A, Problem> =>
  Effect.tryPromise(what).pipe(
    Effect.tapError(({ cause }) => Effect.logError("a body could not be kept", cause)),
    Effect.mapError(() => noRoom)
  )

/** A file without a name where the system allows that: nothing is left of it, whatever happens. */
const openFile = async (): Promise<{ readonly file: FileHandle; readonly path: string }> => {
  const path = join(tmpdir(), `candlewick-${randomUUID()}`)
  const file = await open(path, "wx+", 0o600)
  await rm(path, { force: true }).catch(() => undefined)
  return { file, path }
}

/**
 * Writes a stream to a temporary file; it is gone when the scope ends.
 *
 * @category combinators
 * @since 0.1.0
 */
export const spoolBytes = Effect.fnUntraced(function* <E>(
  bytes: Stream.Stream<Uint8Array, E>
): Effect.fn.Return<Spooled, Problem | E, Scope.Scope> {
  const { file } = yield* Effect.acquireRelease(unlessNoRoom(openFile), ({ file, path }) =>
    Effect.promise(async () => {
      await file.close()
      await rm(path, { force: true })
    })
  )
  let byteLength = 0
  // A write that was begun is ended before the file is closed.
  yield* Stream.runForEach(bytes, (chunk) =>
    Effect.uninterruptible(
      Effect.map(
        unlessNoRoom(() => file.appendFile(chunk)),
        () => {
          byteLength += chunk.length
        }
      )
    )
  )
  return { fd: file.fd, byteLength }
})
