/**
 * Which test files stand beside the files that changed.
 *
 * Three rules hold, in this order. A changed test file is its own test. A file has the tests of its
 * name and those that import it. Without any, the tests of its folder stand for it.
 */
import { existsSync, readFileSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { gitLines, repositoryFiles, root } from "./files.ts"

const isTestFile = (path: string): boolean => path.endsWith(".test.ts")
const isCode = (path: string): boolean => /\.[cm]?[jt]s$/.test(path)

const hasBranch = (name: string): boolean => {
  try {
    return gitLines("rev-parse", "--verify", "--quiet", name).length > 0
  } catch {
    return false
  }
}

/** Where this branch left main; on main itself the last commit. */
const baseOf = (): string => {
  const main = ["main", "origin/main"].find(hasBranch)
  return main === undefined ? "HEAD" : (gitLines("merge-base", "HEAD", main)[0] ?? "HEAD")
}

/** The files that changed since then, committed or not, and are still there. */
export const changedFiles = (): ReadonlyArray<string> => {
  const found = new Set([
    ...gitLines("diff", "--name-only", baseOf()),
    ...gitLines("ls-files", "--others", "--exclude-standard")
  ])
  return [...found].filter((path) => existsSync(join(root, path))).toSorted()
}

/** Where the tests of a folder are, where they are not in the folder of its name. */
const folders: ReadonlyArray<readonly [source: RegExp, tests: string]> = [
  [/^packages\/engine\/src\/fast\//, "packages/engine/test/fast/"],
  [/^packages\/engine\/assembly\//, "packages/engine/test/fast/"],
  [/^packages\/engine\/src\/plan\//, "packages/engine/test/language/"],
  [/^packages\/core\/src\/services\/bots\//, "test/stories/"],
  [/^packages\/core\/src\/services\/webhooks\//, "test/services/webhook"],
  [/^packages\/core\/src\/services\//, "test/services/"],
  [/^packages\/core\/src\/ports\//, "packages/store-memory/test/"],
  [/^packages\/http\/src\/api\//, "packages/http/test/api/"],
  [/^packages\/store-postgres\/src\/internal\//, "packages/store-postgres/test/"]
]

const folderOf = (path: string): string => {
  const row = folders.find(([source]) => source.test(path))
  if (row !== undefined) return row[1]
  return `${dirname(path).replace("/src", "/test")}/`
}

/** The files that a file imports by a relative path. */
const importsOf = (path: string): ReadonlyArray<string> => {
  const text = readFileSync(join(root, path), "utf8")
  return [...text.matchAll(/from "(\.[^"]*)"/g)].map(([, to]) =>
    relative(root, resolve(root, dirname(path), to!))
  )
}

const nameOf = (path: string): string => basename(path).split(".")[0]!.toLowerCase()

/** The tests beside these files, without those that start servers of their own. */
export const testsBeside = (changed: ReadonlyArray<string>): ReadonlyArray<string> => {
  const tests = repositoryFiles().filter(
    (path) => isTestFile(path) && !path.endsWith(".process.test.ts") && !path.includes("/crash/")
  )
  const imports = new Map(tests.map((path) => [path, new Set(importsOf(path))]))
  const beside = (path: string): ReadonlyArray<string> => {
    if (isTestFile(path)) return tests.includes(path) ? [path] : []
    if (!isCode(path)) return []
    const near = tests.filter(
      (test) => nameOf(test) === nameOf(path) || imports.get(test)!.has(path)
    )
    return near.length > 0 ? near : tests.filter((test) => test.startsWith(folderOf(path)))
  }
  return [...new Set(changed.flatMap(beside))]
}
