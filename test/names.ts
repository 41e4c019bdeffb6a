/**
 * The names that modules export, and the modules that declare each.
 *
 * An export list declares nothing of what it takes from another module.
 */

/** A module: its path, and its text. */
export interface Module {
  readonly path: string
  readonly text: string
}

/** The names that many modules export by design, each with its reason. */
export const conventions: Readonly<Record<string, string>> = {
  layer: "the layer of the service that its module is named after, read as `Bots.layer`",
  make: "the constructor of its module's noun, read as `StateTable.make`",
  suite: "the tests of the port that its module is named after, read as `BotStoreSuite.suite`"
}

/** Two modules that are one in two forms, each pair with its reason; `*` stands for any path. */
export const mirrors: ReadonlyArray<readonly [one: string, other: string, reason: string]> = [
  [
    "packages/store-memory/src/*",
    "packages/store-postgres/src/*",
    "both adapters of a port have the same parts under the same paths"
  ],
  [
    "packages/engine/src/fast/kernels/memory.ts",
    "packages/engine/src/match/memory.ts",
    "`assembly/memory.as` takes the place of both"
  ]
]

const declaration =
  /^export (?:declare |default |abstract |async )*(?:const|let|var|function\*?|class|interface|type|enum|namespace) (\w+)/gm

const list = /^export (?:type )?\{([^}]*)\}(?! from)/gm

const imports = /^import [^"]*?\{([^}]*)\} from/gm

/** The entries of the lists that a pattern finds, each with its name inside and outside. */
const entriesOf = (
  text: string,
  pattern: RegExp
): ReadonlyArray<readonly [inside: string, outside: string]> =>
  [...text.matchAll(pattern)].flatMap(([, names]) =>
    [...names!.matchAll(/(?:type )?(\w+)(?: as (\w+))?/g)].map(
      ([, first, second]) => [first!, second ?? first!] as const
    )
  )

/** The names of the declarations that a module exports. */
export const exportedBy = (text: string): ReadonlySet<string> => {
  const imported = new Set(entriesOf(text, imports).map(([, inside]) => inside))
  const listed = entriesOf(text, list).filter(([inside]) => !imported.has(inside))
  return new Set([
    ...[...text.matchAll(declaration)].map(([, name]) => name!),
    ...listed.map(([, name]) => name)
  ])
}

/** The path of a module in the other form, where it has one. */
const mirrorOf = (path: string, from: string, to: string): string | undefined => {
  const [start = "", rest] = from.split("*")
  if (rest === undefined) return path === from ? to : undefined
  return path.startsWith(start) ? to.replace("*", path.slice(start.length)) : undefined
}

/** The path under which all forms of a module go. */
const placeOf = (path: string): string => {
  for (const [one, other] of mirrors) {
    const place = mirrorOf(path, other, one)
    if (place !== undefined) return place
  }
  return path
}

/** The names that two modules declare and export, with these modules. */
export const ambiguousNames = (modules: ReadonlyArray<Module>): ReadonlyArray<string> => {
  const found = new Map<string, Map<string, string>>()
  for (const { path, text } of modules) {
    for (const name of exportedBy(text)) {
      if (Object.hasOwn(conventions, name)) continue
      const places = found.get(name) ?? new Map<string, string>()
      found.set(name, places.set(placeOf(path), path))
    }
  }
  return [...found]
    .filter(([, places]) => places.size > 1)
    .map(([name, places]) => `${name}: ${[...places.values()].join(", ")}`)
}
