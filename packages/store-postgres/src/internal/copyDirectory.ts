/**
 * A copy of a data directory that nobody writes to meanwhile.
 *
 * @since 0.1.0
 */
import fs from "node:fs"
import { dirname, join, resolve } from "node:path"
import { holderFile, lockFile } from "./DirectoryLock.ts"
import { syncPath, syncTree } from "./DurableFs.ts"

/** What belongs to the process that uses a directory, and not to what is kept in it. */
const isLeftOut = (path: string, directory: string): boolean =>
  dirname(path) === directory &&
  (path.startsWith(join(directory, holderFile)) ||
    path.startsWith(join(directory, lockFile)) ||
    fs.lstatSync(path).isSocket())

/**
 * Makes a directory that opens like one after a loss of power. It comes into being whole and on the
 * disk, or not at all; one that is there is never written over.
 *
 * @category models
 * @since 0.1.0
 */
export const copyDirectory = async (directory: string, target: string): Promise<void> => {
  const from = resolve(directory)
  const to = resolve(target)
  if (fs.existsSync(to)) throw new Error(`${to} is there already`)
  if (`${to}/`.startsWith(`${from}/`)) throw new Error(`${to} is inside the data directory`)
  const draft = `${to}.unfinished`
  fs.rmSync(draft, { recursive: true, force: true })
  fs.mkdirSync(dirname(to), { recursive: true })
  try {
    fs.cpSync(from, draft, {
      recursive: true,
      mode: fs.constants.COPYFILE_FICLONE,
      filter: (path) => path === from || !isLeftOut(path, from)
    })
    fs.chmodSync(draft, 0o700)
    await syncTree(draft)
    fs.renameSync(draft, to)
    syncPath(dirname(to))
  } catch (error) {
    fs.rmSync(draft, { recursive: true, force: true })
    throw error
  }
}
