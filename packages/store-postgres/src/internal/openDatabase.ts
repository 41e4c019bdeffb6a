/**
 * An embedded database's files, opened or made.
 *
 * @since 0.1.0
 */
import { PGlite } from "@electric-sql/pglite"
import fs from "node:fs"
import { join } from "node:path"
import { DurableFs, durableStartParams, syncPath, syncTree } from "./DurableFs.ts"
import { makeDirectories } from "./makeDirectories.ts"

/** The folder of the database inside a data directory. */
const databaseFolder = "pg"

const unfinishedMark = "pg.unfinished"

/** A database that is open, with its files. @category models @since 0.1.0 */
export interface OpenDatabase {
  readonly pg: PGlite
  readonly files: DurableFs
}

/**
 * Opens the database, or makes it. One whose making was cut off is made again: a mark stands beside
 * it until all of it is on the disk. `end` gets the reason, where it can't be opened or written to.
 *
 * @category constructors
 * @since 0.1.0
 */
export const openDatabase = async (
  directory: string,
  end: (reason: string) => never
): Promise<OpenDatabase> => {
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
