/**
 * The files of the repository, and their digest.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The repository's root. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..")

/** Where runs keep what the next one can use. */
export const cacheFolder = join(root, "node_modules", ".cache", "candlewick")

/** The output of git, as lines. */
export const gitLines = (...args: ReadonlyArray<string>): ReadonlyArray<string> =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 64_000_000 })
    .split("\n")
    .filter((line) => line !== "")

/** Every file that git knows or would add. */
export const repositoryFiles = (): ReadonlyArray<string> =>
  gitLines("ls-files", "--cached", "--others", "--exclude-standard").filter((path) =>
    existsSync(join(root, path))
  )

/** A digest of these files' paths and bytes. */
export const digestOf = (paths: ReadonlyArray<string>): string => {
  const hash = createHash("sha256")
  for (const path of paths.toSorted()) {
    const bytes = readFileSync(join(root, path))
    hash.update(`${path}\0${bytes.length}\0`).update(bytes)
  }
  return hash.digest("hex")
}
