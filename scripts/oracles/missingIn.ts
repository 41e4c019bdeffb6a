/**
 * The file that a folder lacks to be one of other software's results.
 */
import { existsSync, readdirSync, statSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { readJson } from "../../packages/engine/test/kernel/oracleFolder.ts"
import { kinds } from "./kinds.ts"

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory()

interface Case {
  readonly data?: string | { readonly file?: string }
  readonly file?: string
  readonly files?: Readonly<Record<string, string | null>>
  readonly matrix?: { readonly file?: string }
  readonly trades_file?: string
}

/** The files that a case is read from, by their paths in the folder. */
const filesOf = ({ data, file, matrix, trades_file }: Case): ReadonlyArray<string> => {
  // One kind names rows behind the file.
  const named = typeof data === "string" ? data.split(" ")[0] : data?.file
  return [named, file, matrix?.file, trades_file].filter((path) => path !== undefined)
}

/** The files beside a case that has a folder of its own. */
const besideOf = (path: string, kind: string, { files }: Case): ReadonlyArray<string> =>
  (kind === "optimize" ? ["grid.csv"] : ["trades.csv", "stats.json", files?.["equity"] ?? null])
    .filter((name) => name !== null)
    .map((name) => join(dirname(path), name))

const casesOf = (list: Case | ReadonlyArray<Case> | { readonly cases: ReadonlyArray<Case> }) => {
  if (Array.isArray(list)) return list as ReadonlyArray<Case>
  return "cases" in list ? list.cases : [list as Case]
}

const missingOfList = (folder: string, kind: string, path: string): ReadonlyArray<string> => {
  const where = relative(folder, path)
  let cases: ReadonlyArray<Case>
  try {
    cases = casesOf(readJson(path))
  } catch {
    return [`${where} isn't JSON`]
  }
  const named = cases.flatMap(filesOf)
  const beside =
    basename(path) === "case.json"
      ? cases.flatMap((one) => besideOf(path, kind, one)).map((file) => relative(folder, file))
      : []
  return [...new Set([...named, ...beside])]
    .filter((file) => !existsSync(join(folder, file)))
    .map((file) => `${file} is missing, which ${where} needs`)
}

const missingOfKind = (folder: string, name: string): ReadonlyArray<string> => {
  const paths = readdirSync(join(folder, name), { recursive: true, encoding: "utf8" })
    .map((path) => join(folder, name, path))
    .toSorted()
  const bare =
    name === "backtests" || name === "optimize"
      ? paths.filter((path) => isFolder(path) && !existsSync(join(path, "case.json")))
      : []
  return [
    ...bare.map((path) => `${relative(folder, path)}/case.json is missing`),
    ...paths
      .filter((path) => path.endsWith(".json") && basename(path) !== "stats.json")
      .flatMap((path) => missingOfList(folder, name, path))
  ]
}

/** Sentences that say which files are missing; none where a folder has the layout. */
export const missingIn = (folder: string): ReadonlyArray<string> => {
  if (!isFolder(folder)) return [`${folder} is no folder`]
  const present = kinds.filter(({ name }) => isFolder(join(folder, name)))
  if (present.length === 0) {
    const wanted = kinds.map(({ lists, name }) => `${name}/${lists}`)
    return [`${folder} has no list of cases: none of ${wanted.join("; ")} is there`]
  }
  return present.flatMap(({ casesOf: idsOf, lists, name }) => {
    const missing = missingOfKind(folder, name)
    if (missing.length > 0) return missing
    return idsOf(folder).length === 0
      ? [`${name}/${lists} is missing, so ${name} has no cases`]
      : []
  })
}

/** Folders that are no kind that is known here. */
export const strangersIn = (folder: string): ReadonlyArray<string> => {
  const known = new Set(["data", ...kinds.map(({ name }) => name)])
  return readdirSync(folder).filter((name) => isFolder(join(folder, name)) && !known.has(name))
}
