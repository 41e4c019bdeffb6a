/**
 * Embedded databases that the layers of a process have one after another: to empty one takes a
 * tenth of the time that it takes to load one.
 */
import { PGlite } from "@electric-sql/pglite"
import { openAsBlob } from "node:fs"

/** The databases that nobody has at the moment, as empty as their template. */
const idle: Array<PGlite> = []

// Sequences and types are in a schema; locks, statements, channels and settings are the session's.
// The log would grow for as long as the process runs.
const emptying = [
  "rollback",
  "discard all",
  "drop schema public cascade; create schema public",
  "checkpoint"
]

// A table of another schema, for instance, and what a lost answer to the above would leave.
const leftovers = `
  select (select count(*) from pg_class where oid >= 16384)
    + (select count(*) from pg_locks where locktype = 'advisory')
    + (select count(*) from pg_prepared_statements)
    + (select count(*) from pg_listening_channels()) as count`

/** Empties a database; false where it is not as its template was. */
const empty = async (database: PGlite): Promise<boolean> => {
  try {
    for (const statement of emptying) await database.exec(statement)
    const { rows } = await database.query<{ readonly count: number }>(leftovers)
    return rows[0]?.count === 0
  } catch {
    return false
  }
}

const terminate = Buffer.from("X\0\0\0\u0004")

/** Whether a session ends itself with frames after others, which ends the database too. */
const areLast = (frames: Uint8Array): boolean =>
  frames.length > terminate.length &&
  terminate.equals(frames.subarray(frames.length - terminate.length))

/** The part of a database that its client uses. */
type Lent = Pick<PGlite, "close" | "execProtocolRawStream" | "runExclusive">

/**
 * Lends an empty database, loaded from a template where none is idle. To close it gives it back,
 * unless its session is not as it was.
 */
export const lendPglite = async (template: string): Promise<PGlite> => {
  const database = idle.pop() ?? (await PGlite.create({ loadDataDir: await openAsBlob(template) }))
  let isOver = false
  let isSpent = false
  const lent: Lent = {
    runExclusive: (task) => database.runExclusive(task),
    execProtocolRawStream: async (frames, options) => {
      // A client that ends hands in its last frames, and waits for no answer.
      if (isOver) return
      isSpent ||= areLast(frames)
      await database.execProtocolRawStream(frames, options)
    },
    close: async () => {
      if (isOver) return
      isOver = true
      if (!isSpent && (await empty(database))) idle.push(database)
      else if (!database.closed) await database.close()
    }
  }
  return lent as PGlite
}
