/**
 * The work of an embedded database's thread: it opens the files, answers frames in the order in
 * which they come, and writes data files now and then, so that a restart has little to read.
 *
 * @since 0.1.0
 */
import { PGlite } from "@electric-sql/pglite"
import fs from "node:fs"
import { join } from "node:path"
import type { MessagePort } from "node:worker_threads"
import { copyDirectory } from "./copyDirectory.ts"
import { DurableFs, durableStartParams, syncPath, syncTree } from "./DurableFs.ts"
import { isAtRest, terminate } from "./frames.ts"
import { makeDirectories } from "./makeDirectories.ts"
import type { FromThread, ThreadOptions, ToThread } from "./threadMessages.ts"

/** The folder of the database inside a data directory. */
export const databaseFolder = "pg"

const unfinishedMark = "pg.unfinished"

/** Rows changed or deleted in a table after which it is cleared. */
const deadRowsMin = 1_000

interface Database {
  readonly pg: PGlite
  readonly files: DurableFs
}

/**
 * Opens the database, or makes it. One whose making was cut off is made again: a mark stands beside
 * it until all of it is on the disk.
 */
const openDatabase = async (
  directory: string,
  end: (reason: string) => never
): Promise<Database> => {
  const folder = join(directory, databaseFolder)
  const mark = join(directory, unfinishedMark)
  if (fs.existsSync(mark)) fs.rmSync(folder, { recursive: true, force: true })
  const isNew = !fs.existsSync(join(folder, "PG_VERSION"))
  if (isNew) {
    fs.writeFileSync(mark, "", { mode: 0o600 })
    syncPath(mark)
    syncPath(directory)
  }
  makeDirectories(folder, 0o700)
  // PostgreSQL's own lock, which a crash leaves behind, at times empty; ours is held already.
  fs.rmSync(join(folder, "postmaster.pid"), { force: true })
  let lastWords = ""
  const files = new DurableFs(folder, (reason) => end(lastWords === "" ? reason : lastWords))
  const pg = await PGlite.create({
    fs: files,
    startParams: durableStartParams(PGlite.defaultStartParams),
    onStderr: (text) => {
      const fatal = /\b(?:PANIC|FATAL): {2}(.*)/.exec(text)?.[1]
      if (fatal !== undefined) lastWords = fatal
      return true
    }
  }).catch((error: unknown) =>
    end(lastWords === "" ? (error instanceof Error ? error.message : String(error)) : lastWords)
  )
  if (isNew) {
    await syncTree(folder)
    syncPath(directory)
    fs.rmSync(mark)
    syncPath(directory)
  }
  return { pg, files }
}

/** Serves a database over a port until it is told to close. */
export const serveDatabase = async (port: MessagePort, options: ThreadOptions): Promise<void> => {
  const tell = (message: FromThread, transfer: Array<ArrayBuffer> = []): void =>
    port.postMessage(message, transfer)

  /** Ends the thread at once: nothing that may be wrong is answered or written any more. */
  const end = (reason: string): never => {
    tell({ type: "failed", reason })
    process.exit(1)
  }

  const { files, pg } = await openDatabase(options.directory, end)
  let session = -1
  let isResting = true

  /** Runs frames; what they asked to be synced is synced before this returns. */
  const run = async (frames: Uint8Array): Promise<ReadonlyArray<Uint8Array<ArrayBuffer>>> => {
    const chunks: Array<Uint8Array<ArrayBuffer>> = []
    await pg
      .execProtocolRawStream(frames, { onRawData: (bytes) => void chunks.push(bytes.slice()) })
      .catch((error: unknown) => end(error instanceof Error ? error.message : String(error)))
    return chunks
  }

  /** Leaves nothing of a session behind: no transaction, no prepared statement. */
  const endSession = async (): Promise<void> => {
    session = -1
    isResting = true
    if (pg.isInTransaction()) await pg.exec("rollback")
    await pg.exec("discard all")
  }

  const answer = async (message: Extract<ToThread, { type: "frames" }>): Promise<void> => {
    if (session !== message.session) {
      if (session !== -1) await endSession()
      session = message.session
    }
    const chunks = message.bytes[0] === terminate ? [] : await run(message.bytes)
    const last = chunks.at(-1)
    if (last !== undefined) isResting = isAtRest(last)
    tell(
      { type: "answer", session: message.session, chunks },
      chunks.map(({ buffer }) => buffer)
    )
    if (isResting && files.logBytes >= options.checkpointBytes) await quietly(checkpoint())
  }

  /** Only the end of a lone session writes data files by itself, which a server never comes to. */
  const checkpoint = async (): Promise<void> => {
    files.logBytes = 0
    await pg.exec("checkpoint")
  }

  /** What the background process of a PostgreSQL server would clear away. */
  const clearTables = async (): Promise<void> => {
    if (!isResting) return
    const { rows } = await pg.query<{ readonly name: string }>(
      `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
       where n_dead_tup > $1 + n_live_tup / 5`,
      [deadRowsMin]
    )
    for (const { name } of rows) await pg.exec(`vacuum (analyze) ${name}`)
  }

  /** Nothing that is done beside the sessions may end them; a failure is tried again later. */
  const quietly = (work: Promise<void>): Promise<void> => work.catch(() => undefined)

  const close = async (): Promise<void> => {
    clearInterval(upkeep)
    if (pg.isInTransaction()) await quietly(pg.exec("rollback").then(() => undefined))
    await pg.close()
    tell({ type: "closed" })
    port.close()
  }

  /**
   * Nothing runs in the meantime, and a restart reads the log from the checkpoint on, so that the
   * copy is of this moment: what a transaction that is open has written is not in it.
   */
  const copy = async (target: string): Promise<void> => {
    let reason: string | null = null
    try {
      if (isResting) await checkpoint()
      await copyDirectory(options.directory, target)
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error)
    }
    tell({ type: "copied", target, reason })
  }

  const onMessage = async (message: ToThread): Promise<void> => {
    switch (message.type) {
      case "frames":
        return answer(message)
      case "end":
        return message.session === session ? endSession() : undefined
      case "copy":
        return copy(message.target)
      case "close":
        return close()
    }
  }

  // One after the other: the database has one session at a time.
  let turn = Promise.resolve()
  const next = (work: () => Promise<void>): void => {
    turn = turn.then(work).catch((error: unknown) => {
      end(error instanceof Error ? error.message : String(error))
    })
  }
  const upkeep = setInterval(() => next(() => quietly(clearTables())), options.upkeepMs)
  upkeep.unref()
  port.on("message", (message: ToThread) => next(() => onMessage(message)))
  tell({ type: "ready" })
}
