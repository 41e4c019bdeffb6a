/**
 * The work of an embedded database's thread.
 *
 * It opens the files and answers frames in the order in which they come. It writes data files now
 * and then, so that a restart has little to read.
 *
 * @since 0.1.0
 */
import type { MessagePort } from "node:worker_threads"
import { copyDirectory } from "./copyDirectory.ts"
import { checkpoint, clearTables } from "./databaseUpkeep.ts"
import { OneSession } from "./OneSession.ts"
import { openDatabase, type OpenDatabase } from "./openDatabase.ts"
import type { FromThread, ThreadOptions, ToThread } from "./threadMessages.ts"

type Tell = (message: FromThread, transfer?: Array<ArrayBuffer>) => void

/** The parts that serve an open database. */
interface Serving {
  readonly database: OpenDatabase
  readonly session: OneSession
  readonly options: ThreadOptions
  readonly tell: Tell
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** Nothing that is done beside the sessions may end them; a failure is tried again later. */
const quietly = (work: Promise<void>): Promise<void> => work.catch(() => undefined)

const answer = async (
  { database, options, session, tell }: Serving,
  message: Extract<ToThread, { readonly type: "frames" }>
): Promise<void> => {
  const chunks = await session.answer(message.session, message.bytes)
  tell(
    { type: "answer", session: message.session, chunks },
    chunks.map(({ buffer }) => buffer)
  )
  const isLong = database.files.logBytes >= options.checkpointBytes
  if (session.isResting && isLong) await quietly(checkpoint(database))
}

/**
 * Nothing runs in the meantime, and a restart reads the log from the checkpoint on. So the copy is
 * of this moment, without the writes of an open transaction.
 */
const copy = async (
  { database, options, session, tell }: Serving,
  target: string
): Promise<void> => {
  let reason: string | null = null
  try {
    if (session.isResting) await checkpoint(database)
    await copyDirectory(options.directory, target)
  } catch (error) {
    reason = reasonOf(error)
  }
  tell({ type: "copied", target, reason })
}

const close = async ({ database, session, tell }: Serving): Promise<void> => {
  await quietly(session.rollBack())
  await database.pg.close()
  tell({ type: "closed" })
}

/** Serves a database over a port until it is asked to close. */
export const serveDatabase = async (port: MessagePort, options: ThreadOptions): Promise<void> => {
  const tell: Tell = (message, transfer = []) => port.postMessage(message, transfer)

  /** Ends the thread at once: nothing that may be wrong is answered or written any more. */
  const end = (reason: string): never => {
    tell({ type: "failed", reason })
    process.exit(1)
  }

  const database = await openDatabase(options.directory, end)
  const session = new OneSession(database.pg)
  const serving: Serving = { database, session, options, tell }

  const onMessage = async (message: ToThread): Promise<void> => {
    switch (message.type) {
      case "frames":
        return answer(serving, message)
      case "end":
        return session.end(message.session)
      case "copy":
        return copy(serving, message.target)
      case "close":
        clearInterval(upkeep)
        await close(serving)
        return port.close()
    }
  }

  // One after the other: the database has one session at a time.
  let turn = Promise.resolve()
  const next = (work: () => Promise<void>): void => {
    turn = turn.then(work).catch((error: unknown) => void end(reasonOf(error)))
  }
  const upkeep = setInterval(
    () => next(() => (session.isResting ? quietly(clearTables(database.pg)) : Promise.resolve())),
    options.upkeepMs
  )
  upkeep.unref()
  port.on("message", (message: ToThread) => next(() => onMessage(message)))
  tell({ type: "ready" })
}
