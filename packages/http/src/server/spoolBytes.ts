/**
 * Keeps a stream in a temporary file, for formats that are read from their end.
 *
 * @since 0.1.0
 */
import { Limits, Problem } from "@candlewick/core"
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

/** Bytes that all bodies of a process may take together. @category models @since 0.1.0 */
export interface SpoolRoom {
  free: number
}

const processRoom: SpoolRoom = { free: Limits.spooledMaxBytes }

const noTurn = new Problem({
  code: "unavailable",
  detail: "Other bodies of this kind are being received; try again in a moment."
})

const noRoom = new Problem({
  code: "unavailable",
  detail: "The body can't be kept while it is read: there may be no room for it."
})

const unlessNoRoom = <A>(what: () => Promise<A>): Effect.Effect<A, Problem> =>
  Effect.tryPromise(what).pipe(
    Effect.tapError(({ cause }) => Effect.logError("a body could not be kept", cause)),
    Effect.mapError(() => noRoom)
  )

/**
 * A file without a name where the system allows that: nothing is left of it, also after a crash.
 */
const openFile = async (): Promise<{ readonly file: FileHandle; readonly path: string }> => {
  const path = join(tmpdir(), `candlewick-${randomUUID()}`)
  const file = await open(path, "wx+", 0o600)
  await rm(path, { force: true }).catch(() => undefined)
  return { file, path }
}

/**
 * Writes a stream to a temporary file; it is gone when the scope ends. Fails where all files
 * together would be larger than their room: disks have other uses.
 *
 * @category combinators
 * @since 0.1.0
 */
export const spoolBytes = Effect.fnUntraced(function* <E>(
  bytes: Stream.Stream<Uint8Array, E>,
  room: SpoolRoom = processRoom
): Effect.fn.Return<Spooled, Problem | E, Scope.Scope> {
  const { file } = yield* Effect.acquireRelease(unlessNoRoom(openFile), ({ file, path }) =>
    Effect.promise(async () => {
      await file.close()
      await rm(path, { force: true })
    })
  )
  let byteLength = 0
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      room.free += byteLength
    })
  )
  // A write that was begun is ended before the file is closed.
  yield* Stream.runForEach(bytes, (chunk) =>
    Effect.suspend(() => {
      if (chunk.length > room.free) return Effect.fail(noTurn)
      room.free -= chunk.length
      byteLength += chunk.length
      return Effect.uninterruptible(unlessNoRoom(() => file.appendFile(chunk)))
    })
  )
  return { fd: file.fd, byteLength }
})
