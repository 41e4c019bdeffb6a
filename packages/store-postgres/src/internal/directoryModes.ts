/**
 * The modes of a data directory: its owner alone may open it, as PostgreSQL has it.
 *
 * PostgreSQL refuses a directory with other modes. Here modes are mended where that is safe, for
 * volumes of containers and `StateDirectory=` of systemd come with 0755. All else is refused.
 *
 * @since 0.1.0
 */
import fs from "node:fs"
import { join } from "node:path"

/** The bits that let the group and others in. */
export const othersBits = 0o077

/** All that a server puts into its data directory. */
const ownNames = ["pg", "pg.unfinished", "lock", "holder.json", "encryption.key", "control"]

const stickyBit = 0o1000

const octal = (mode: number): string => `0${(mode & 0o7777).toString(8)}`

/** Whether the modes of a host's files limit access to them. */
const hasModes = process.platform !== "win32"

const isOpen = ({ mode }: fs.Stats): boolean => (mode & othersBits) !== 0

/** Whether others may need a directory as it is: it is sticky, or holds none of our files. */
const isShared = (directory: string, { mode }: fs.Stats): boolean => {
  if ((mode & stickyBit) !== 0) return true
  const names = fs.readdirSync(directory)
  return names.length > 0 && !names.some((name) => ownNames.includes(name))
}

/**
 * Restricts a data directory to its owner. Gives the mode that it had where that was another
 * one; throws with a reason where it can't be so.
 */
export const closeDirectory = (directory: string): string | null => {
  if (!hasModes) return null
  const before = fs.statSync(directory)
  if (before.uid !== process.getuid?.()) {
    throw new Error(
      `it belongs to the user with number ${before.uid}, and this process runs as ${process.getuid?.()}: run it as the owner, or name another directory`
    )
  }
  if (!isOpen(before)) return null
  if (isShared(directory, before)) {
    throw new Error(
      `others than its owner may open it (${octal(before.mode)}), and it is not this server's alone: name a directory inside it, which is then made with 0700`
    )
  }
  fs.chmodSync(directory, 0o700)
  const after = fs.statSync(directory)
  if (isOpen(after)) {
    throw new Error(
      `others than its owner may open it (${octal(after.mode)}), and its file system keeps no other mode: name a directory on another one`
    )
  }
  return octal(before.mode)
}

/** Takes a file, or a folder with all that is in it, from others than its owner; counts them. */
export const closeTree = (path: string): number => {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  // A link's own modes mean nothing, and its target may be anything.
  if (!hasModes || found === undefined || found.isSymbolicLink()) return 0
  const isMended = isOpen(found)
  if (isMended) fs.chmodSync(path, found.mode & ~othersBits)
  const names = found.isDirectory() ? fs.readdirSync(path) : []
  return names.reduce((count, name) => count + closeTree(join(path, name)), Number(isMended))
}

/** Takes the files in a data directory from others than its owner; counts them. */
export const closeFiles = (directory: string): number =>
  ownNames.reduce((count, name) => count + closeTree(join(directory, name)), 0)
