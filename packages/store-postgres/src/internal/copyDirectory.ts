/**
 * A copy of a data directory that no process writes to meanwhile.
 *
 * @since 0.1.0
 */
import fs from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { holderFile, lockFile } from "./DirectoryLock.ts"
import { closeTree } from "./directoryModes.ts"
import { syncPath, syncTree } from "./DurableFs.ts"
import { makeDirectories } from "./makeDirectories.ts"

/** The files of the process that uses a directory, which are no part of its content. */
const isLeftOut = (path: string, directory: string): boolean =>
  dirname(path) === directory &&
  (path.startsWith(join(directory, holderFile)) ||
    path.startsWith(join(directory, lockFile)) ||
    fs.lstatSync(path).isSocket())

/** Stands in a draft, and says whose it is. */
const markFile = "candlewick-back-up"

/** The mark of a data directory; one process at a time makes copies of it. */
const markOf = (directory: string): string => {
  const { dev, ino } = fs.statSync(directory, { bigint: true })
  return `${dev} ${ino} ${directory}\n`
}

const isMarked = (draft: string, mark: string): boolean => {
  try {
    return (
      fs.lstatSync(draft).isDirectory() && fs.readFileSync(join(draft, markFile), "utf8") === mark
    )
  } catch {
    return false
  }
}

/**
 * Removes the files of earlier copies of the same directory that were cut off, and nothing else.
 */
const removeLeftovers = (draftPrefix: string, mark: string): void => {
  const folder = dirname(draftPrefix)
  for (const name of fs.readdirSync(folder)) {
    const draft = join(folder, name)
    if (draft.startsWith(draftPrefix) && isMarked(draft, mark)) {
      fs.rmSync(draft, { recursive: true, force: true })
    }
  }
}

/**
 * Makes a directory that opens like one after a loss of power. It comes into being whole and on the
 * disk, or not at all. It never writes over a directory that exists, or anything beside it.
 *
 * @category models
 * @since 0.1.0
 */
export const copyDirectory = async (directory: string, target: string): Promise<void> => {
  const from = resolve(directory)
  const to = resolve(target)
  if (fs.existsSync(to)) throw new Error(`${to} is there already`)
  if (`${to}/`.startsWith(`${from}/`)) throw new Error(`${to} is inside the data directory`)
  makeDirectories(dirname(to))
  const mark = markOf(from)
  const draftPrefix = join(dirname(to), `${basename(to)}.unfinished-`)
  removeLeftovers(draftPrefix, mark)
  const draft = fs.mkdtempSync(draftPrefix)
  try {
    fs.writeFileSync(join(draft, markFile), mark)
    const copy = join(draft, "copy")
    fs.cpSync(from, copy, {
      recursive: true,
      mode: fs.constants.COPYFILE_FICLONE,
      filter: (path) => path === from || !isLeftOut(path, from)
    })
    closeTree(copy)
    await syncTree(copy)
    fs.renameSync(copy, to)
    syncPath(dirname(to))
  } finally {
    fs.rmSync(draft, { recursive: true, force: true })
  }
}
