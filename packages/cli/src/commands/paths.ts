/**
 * Paths of the command line, from the directory in which it was written.
 *
 * @since 0.1.0
 */
import { resolve } from "node:path"

/**
 * A path as the caller means it. `npm run` and `npm --prefix` start a program in the directory of
 * its package, and say in `INIT_CWD` where the caller is. Other scripts hand that variable on too,
 * so that it counts for the script of this program's name alone.
 *
 * @category conversions
 * @since 0.1.0
 */
export const pathOf = (path: string): string => {
  const { INIT_CWD: called, npm_lifecycle_event: script } = process.env
  return called !== undefined && script === "candlewick" ? resolve(called, path) : resolve(path)
}

/**
 * A data directory as the caller means it; `:memory:` is none of a disk.
 *
 * @category conversions
 * @since 0.1.0
 */
export const dataPathOf = (directory: string): string =>
  directory === ":memory:" ? directory : pathOf(directory)
