/**
 * The exported names of every package, entry by entry, as text: a name that comes or goes is a line
 * of a diff.
 */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

type Entry = string | { readonly default: string }

interface Manifest {
  readonly name: string
  /** None of a package that nothing imports. */
  readonly exports?: Readonly<Record<string, Entry>>
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

/** The entry files of a package, by the name that a program imports. */
const entriesOf = (folder: string): ReadonlyArray<readonly [name: string, file: string]> => {
  const { exports = {}, name } = readManifest(folder)
  return Object.entries(exports)
    .filter(([entry]) => entry !== "./package.json")
    .map(([entry, to]) => {
      const file = typeof to === "string" ? to : to.default
      return [entry === "." ? name : `${name}/${entry.slice(2)}`, join(folder, file)] as const
    })
}

const ownNames = (text: string): ReadonlyArray<string> =>
  Array.from(
    text.matchAll(
      /^export (?:declare |abstract |async )*(?:const|let|class|function\*?|interface|type|enum) (\w+)/gm
    ),
    ([, name]) => name!
  )

const listedNames = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/^export (?:type )?\{([^}]*)\}/gm), ([, names]) => names!)
    .flatMap((names) => names.split(","))
    .map((name) =>
      name
        .trim()
        .replace(/^type /, "")
        .split(" as ")
        .at(-1)!
    )
    .filter((name) => name !== "")

const namespaces = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/^export \* as (\w+) from/gm), ([, name]) => name!)

/** The file that a whole re-export names: of another package an entry, else a file beside it. */
const targetOf = (file: string, specifier: string, files: ReadonlyMap<string, string>): string => {
  const target = specifier.startsWith(".") ? join(dirname(file), specifier) : files.get(specifier)
  if (target === undefined) throw new Error(`${file} re-exports ${specifier}, which is no entry`)
  return target
}

const namesOf = (file: string, files: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const text = readFileSync(file, "utf8")
  const whole = Array.from(text.matchAll(/^export \* from "([^"]+)"/gm), ([, to]) => to!)
  return [
    ...ownNames(text),
    ...listedNames(text),
    ...namespaces(text),
    ...whole.flatMap((specifier) => namesOf(targetOf(file, specifier, files), files))
  ]
}

/** Path and text of each package's `surface.txt`, from the root of the repository. */
export const surfaces = (root: string): ReadonlyArray<readonly [path: string, text: string]> => {
  const packages = readdirSync(join(root, "packages")).toSorted()
  const entries = packages.map((name) => entriesOf(join(root, "packages", name)))
  const files = new Map(entries.flat())
  return packages.flatMap((name, at) => {
    if (entries[at]!.length === 0) return []
    const parts = entries[at]!.map(([entry, file]) => {
      const names = [...new Set(namesOf(file, files))].toSorted()
      return `${entry} (${names.length})\n${names.map((found) => `  ${found}\n`).join("")}`
    })
    return [[`packages/${name}/surface.txt`, parts.join("\n")] as const]
  })
}
