/**
 * Directories that are to be there.
 *
 * @since 0.1.0
 */
import fs from "node:fs"
import { dirname, resolve } from "node:path"

/**
 * Makes a directory, and those above it, where they are not there. Node's own recursive way never
 * ends where one is there that takes no other, as in /proc.
 *
 * @category models
 * @since 0.1.0
 */
export const makeDirectories = (path: string, mode = 0o777): void => {
  const missing: Array<string> = []
  for (let at = resolve(path); !fs.existsSync(at); at = dirname(at)) missing.push(at)
  for (const directory of missing.reverse()) {
    try {
      fs.mkdirSync(directory, { mode })
    } catch (error) {
      // Another process may have been quicker.
      if (!fs.existsSync(directory)) throw error
    }
  }
}
