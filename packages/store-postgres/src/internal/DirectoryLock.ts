/**
 * One process at a time uses a data directory.
 *
 * The lock is the kernel's, on a file that SQLite holds open. It is gone with its process, however
 * that ends. So no lock has to be judged stale, and no number of a process is compared.
 *
 * @since 0.1.0
 */
import { Clock, Data, Effect, type Scope } from "effect"
import fs from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { closeDirectory, closeFiles } from "./directoryModes.ts"
import { makeDirectories } from "./makeDirectories.ts"

/** The holder of a data directory. @category models @since 0.1.0 */
export interface DirectoryHolder {
  readonly pid: number
  readonly host: string
  readonly started_at: string
}

/** Another process, or another store of this one, uses the data directory. */
export class DirectoryInUse extends Data.TaggedError("DirectoryInUse")<{
  readonly directory: string
  readonly holder: DirectoryHolder | null
}> {
  override get message(): string {
    const { directory, holder } = this
    const who =
      holder === null
        ? "another process"
        : `process ${holder.pid} on ${holder.host}, started at ${holder.started_at}`
    return `the data directory ${directory} is in use by ${who}: stop it first, or choose another directory`
  }
}

/** The data directory can't be made or locked. */
export class DirectoryNotUsable extends Data.TaggedError("DirectoryNotUsable")<{
  readonly directory: string
  readonly reason: string
}> {
  override get message(): string {
    return `the data directory ${this.directory} can't be used: ${this.reason}`
  }
}

/** A text that names the holder of the lock, for people. @category tables @since 0.1.0 */
export const holderFile = "holder.json"

/** Is locked. @category tables @since 0.1.0 */
export const lockFile = "lock"

const sqliteBusy = 5

/**
 * Locks that are held. A collected database lets go of its file, and a fiber that only waits may be
 * collected with its scope.
 */
const heldLocks = new Set<DatabaseSync>()

const readHolder = (directory: string): DirectoryHolder | null => {
  try {
    return JSON.parse(fs.readFileSync(join(directory, holderFile), "utf8")) as DirectoryHolder
  } catch {
    return null
  }
}

/** A text that names the holder of the lock, for people; the lock itself is the other file. */
const writeHolder = (directory: string, nowMs: number): void => {
  const holder: DirectoryHolder = {
    pid: process.pid,
    host: hostname(),
    started_at: new Date(nowMs - process.uptime() * 1000).toISOString()
  }
  const draft = join(directory, `${holderFile}.${process.pid}`)
  try {
    fs.writeFileSync(draft, `${JSON.stringify(holder)}\n`, { mode: 0o600 })
    fs.renameSync(draft, join(directory, holderFile))
  } catch (error) {
    // A full disk for instance leaves an empty one.
    fs.rmSync(draft, { force: true })
    throw error
  }
}

/**
 * Makes the directory where it is not there, and its owner's alone where it is; throws with a
 * reason where it is of no use. Gives its mode where that was another one.
 */
const makeUsable = (directory: string): string | null => {
  makeDirectories(directory, 0o700)
  if (!fs.statSync(directory).isDirectory()) throw new Error("it is a file and no directory")
  // A message about the lock's file would not name the cause.
  fs.accessSync(directory, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK)
  return closeDirectory(directory)
}

interface Held {
  readonly lock: DatabaseSync
  /** A text for people that names the files which others than the owner could open until now. */
  readonly mended: string | null
}

const mendedText = (directory: string, mode: string | null, fileCount: number): string | null => {
  if (mode === null && fileCount === 0) return null
  const files = `${fileCount} files and folders in the data directory ${directory}`
  const both = `the data directory ${directory} (${mode}) and ${fileCount} files and folders in it`
  return `the modes of ${mode === null ? files : both} let others than their owner in; they are mended`
}

const acquire = (
  directory: string,
  nowMs: number
): Effect.Effect<Held, DirectoryInUse | DirectoryNotUsable> =>
  Effect.suspend((): Effect.Effect<Held, DirectoryInUse | DirectoryNotUsable> => {
    let lock: DatabaseSync | undefined
    try {
      const mode = makeUsable(directory)
      const lockPath = join(directory, lockFile)
      lock = new DatabaseSync(lockPath, { timeout: 0 })
      fs.chmodSync(lockPath, 0o600)
      lock.exec("pragma journal_mode = memory; begin exclusive")
      writeHolder(directory, nowMs)
      const mended = mendedText(directory, mode, closeFiles(directory))
      heldLocks.add(lock)
      return Effect.succeed({ lock, mended })
    } catch (error) {
      lock?.close()
      if (error instanceof Error && "errcode" in error && error.errcode === sqliteBusy) {
        return Effect.fail(new DirectoryInUse({ directory, holder: readHolder(directory) }))
      }
      const reason = error instanceof Error ? error.message : String(error)
      return Effect.fail(new DirectoryNotUsable({ directory, reason }))
    }
  })

const release = (lock: DatabaseSync): void => {
  heldLocks.delete(lock)
  lock.close()
}

/** Makes the directory, for its owner's eyes only, and holds it until the scope ends. */
export const lockDirectory = (
  directory: string
): Effect.Effect<void, DirectoryInUse | DirectoryNotUsable, Scope.Scope> =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
    Effect.acquireRelease(acquire(directory, nowMs), ({ lock }) => Effect.sync(() => release(lock)))
  ).pipe(
    Effect.flatMap(({ mended }) => (mended === null ? Effect.void : Effect.logWarning(mended)))
  )
