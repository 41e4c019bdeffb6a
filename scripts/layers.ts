/**
 * The layers of the repository: which folder each one is, and which layers it may import.
 *
 * The import restrictions of `.oxlintrc.json` are written from this table by `npm run generate`.
 * `test/laws-of-dependence.test.ts` plants one import for every pair of layers: a forbidden one must
 * be refused, an allowed one must pass.
 */

/** How much of Effect a layer may load. */
type Effects =
  /** Nothing: the layer runs where Effect is not installed. */
  | "none"
  /** The pure data modules that `pureModules` lists. */
  | "values"
  /** The same, and the modules that declare a service and write its type. */
  | "declarations"
  /** Effect itself, without the platform packages. */
  | "library"
  /** Everything. */
  | "all"

/** One row of the table. */
export interface Layer {
  readonly name: string
  /** The folder, or the one file, from the root. */
  readonly place: string
  /** The import path of the layer for other packages; a layer without entries is private. */
  readonly entries: ReadonlyArray<string>
  /** The names of the layers that this one may import, besides itself. */
  readonly knows: ReadonlyArray<string>
  /** The names of the layers among these of which it may import types alone. */
  readonly types?: ReadonlyArray<string>
  /** The files of those layers that it may import values of as well. */
  readonly values?: ReadonlyArray<string>
  readonly effects: Effects
  /** Whether the layer may import modules of Node. */
  readonly node: boolean
  /** The only files beside it that a layer of one file may import. */
  readonly brings?: ReadonlyArray<string>
  /** The sentence that a violation is answered with. */
  readonly law: string
}

const engine = ["engine/match", "engine/kernel", "engine/language", "engine/plan", "engine/fast"]
const core = ["core/domain", "core/ports", "core/services"]

/** Every layer, from the bottom to the top. */
export const layers: ReadonlyArray<Layer> = [
  {
    name: "engine/match",
    place: "packages/engine/src/match",
    entries: [],
    knows: [],
    effects: "none",
    node: false,
    law: "match/ is arithmetic that becomes WebAssembly: it imports only match/."
  },
  {
    name: "engine/kernel",
    place: "packages/engine/src/kernel",
    entries: ["@candlewick/engine/kernel", "@candlewick/core/kernel"],
    knows: ["engine/match"],
    effects: "none",
    node: false,
    law: "kernel/ is numbers in, numbers out: it imports kernel/ and match/."
  },
  {
    name: "engine/language",
    place: "packages/engine/src/language",
    entries: ["@candlewick/engine"],
    knows: ["engine/kernel"],
    effects: "values",
    node: false,
    law: "language/ is strategies as data: it imports kernel/ and Effect's pure data modules."
  },
  {
    name: "engine/plan",
    place: "packages/engine/src/plan",
    entries: ["@candlewick/engine"],
    knows: ["engine/match", "engine/kernel", "engine/language"],
    effects: "values",
    node: false,
    law: "plan/ is pure: it imports language/, kernel/ and match/."
  },
  {
    name: "engine/fast",
    place: "packages/engine/src/fast",
    entries: ["@candlewick/engine/fast", "@candlewick/core/engine"],
    knows: ["engine/match", "engine/kernel", "engine/language", "engine/plan"],
    types: ["engine/language"],
    values: [
      "packages/engine/src/language/notAmong.ts",
      "packages/engine/src/language/resolveSetting.ts",
      "packages/engine/src/language/valueFault.ts"
    ],
    effects: "none",
    node: false,
    law: "fast/ runs anywhere: it imports plan/, kernel/, match/ and types of language/."
  },
  {
    name: "engine/research",
    place: "packages/engine/src/research",
    entries: ["@candlewick/engine/research", "@candlewick/core/research"],
    knows: engine,
    effects: "values",
    node: false,
    law: "research/ is plain calls on arrays: it imports fast/, plan/, language/, kernel/ and match/."
  },
  {
    name: "engine/testing",
    place: "packages/engine/src/testing",
    entries: ["@candlewick/engine/testing"],
    knows: ["engine/kernel", "engine/language"],
    effects: "none",
    node: false,
    law: "The engine's testing/ draws cases: it imports language/ and kernel/."
  },
  {
    name: "core/domain",
    place: "packages/core/src/domain",
    entries: ["@candlewick/core/domain"],
    knows: ["engine/kernel", "engine/language", "engine/plan"],
    effects: "values",
    node: false,
    law: "domain/ is words: it imports the engine and Effect's pure data modules."
  },
  {
    name: "core/ports",
    place: "packages/core/src/ports",
    entries: ["@candlewick/core"],
    knows: ["engine/kernel", "engine/language", "engine/plan", "core/domain"],
    types: ["engine/kernel", "engine/language", "engine/plan"],
    effects: "declarations",
    node: false,
    law: "ports/ declare needs: they import domain/ and the engine's types, and have no layer."
  },
  {
    name: "core/services",
    place: "packages/core/src/services",
    entries: ["@candlewick/core"],
    knows: [...engine, "core/domain", "core/ports"],
    effects: "library",
    node: true,
    law: "services/ know the core and no adapter."
  },
  {
    name: "core/testing",
    place: "packages/core/src/testing",
    entries: ["@candlewick/core/testing"],
    knows: [
      "engine/kernel",
      "engine/language",
      "engine/plan",
      "engine/testing",
      "core/domain",
      "core/ports"
    ],
    effects: "all",
    node: false,
    law: "testing/ proves ports: it imports ports/, domain/ and the engine."
  },
  {
    name: "store-memory",
    place: "packages/store-memory/src",
    entries: ["@candlewick/store-memory"],
    knows: [...core, "engine/kernel"],
    effects: "library",
    node: false,
    law: "store-memory knows core and no other adapter."
  },
  {
    name: "store-postgres",
    place: "packages/store-postgres/src",
    entries: ["@candlewick/store-postgres"],
    knows: [...core, "engine/kernel"],
    effects: "all",
    node: true,
    law: "store-postgres knows core and no other adapter."
  },
  {
    name: "webhooks",
    place: "packages/webhooks/src",
    entries: ["@candlewick/webhooks"],
    knows: [...core, "engine/kernel", "webhooks/verify"],
    effects: "all",
    node: true,
    law: "webhooks know core and no other adapter."
  },
  {
    name: "webhooks/verify",
    place: "packages/webhooks/src/verify.ts",
    entries: ["@candlewick/webhooks/verify"],
    knows: [],
    effects: "none",
    node: false,
    brings: ["./hmacSha256.ts"],
    law: "verify stands alone: receivers get nothing else with it."
  },
  {
    name: "report/page",
    place: "packages/report/src/page",
    entries: ["@candlewick/report"],
    knows: ["core/domain"],
    types: ["core/domain"],
    effects: "none",
    node: false,
    law: "page/ builds pages of plain values: it knows types of the domain and nothing else."
  },
  {
    name: "report/assets",
    place: "packages/report/src/assets",
    entries: ["@candlewick/report/assets"],
    knows: ["report/page"],
    types: ["report/page"],
    effects: "none",
    node: true,
    law: "assets/ read what stands in each page from the disk."
  },
  {
    name: "http/api",
    place: "packages/http/src/api",
    entries: ["@candlewick/http/api"],
    knows: ["core/domain"],
    effects: "library",
    node: false,
    law: "api/ is the definition: it imports @candlewick/core/domain, so that no client pulls in a server."
  },
  {
    name: "http/client",
    place: "packages/http/src/client",
    entries: ["@candlewick/http/client"],
    knows: ["core/domain", "http/api"],
    effects: "library",
    node: false,
    law: "client/ imports api/, so that no client pulls in a server."
  },
  {
    name: "http/mcp",
    place: "packages/http/src/mcp",
    entries: ["@candlewick/http/mcp"],
    knows: ["core/domain", "http/api"],
    effects: "library",
    node: false,
    law: "mcp/ asks operations as callers do: it imports api/ and domain/, and no server."
  },
  {
    name: "http/server",
    place: "packages/http/src/server",
    entries: ["@candlewick/http"],
    knows: [...core, "engine/kernel", "http/api", "http/mcp", "report/page", "report/assets"],
    effects: "all",
    node: true,
    law: "The server drives core; only main/ brings adapters in."
  },
  {
    name: "http/main",
    place: "packages/http/src/main",
    entries: ["@candlewick/http/main", "@candlewick/http/compiled"],
    knows: [
      ...core,
      "engine/kernel",
      "store-memory",
      "store-postgres",
      "webhooks",
      "http/api",
      "http/mcp",
      "http/server"
    ],
    effects: "all",
    node: true,
    law: "main/ wires the server and its adapters; it imports no client and no testing/."
  },
  {
    name: "cli/terminal",
    place: "packages/cli/src/terminal",
    entries: [],
    knows: ["core/domain", "engine/language", "engine/plan", "http/api", "http/client"],
    effects: "library",
    node: false,
    law: "terminal/ is what commands share: it knows the API's value and its client."
  },
  {
    name: "cli/analysis",
    place: "packages/cli/src/analysis",
    entries: [],
    knows: ["engine/kernel", "engine/language", "engine/plan", "engine/research"],
    effects: "values",
    node: false,
    law: "analysis/ is plain calls on arrays: it knows the engine alone."
  },
  {
    name: "cli/commands",
    place: "packages/cli/src/commands",
    entries: [],
    knows: [
      "core/domain",
      "engine/language",
      "engine/plan",
      "engine/research",
      "http/api",
      "http/client",
      "webhooks/verify",
      "cli/terminal",
      "cli/analysis"
    ],
    effects: "library",
    node: true,
    law: "commands/ call the API by its client; what they compute of its answers is in analysis/."
  },
  {
    name: "cli/main",
    place: "packages/cli/src/main",
    entries: [],
    knows: [
      ...core,
      "engine/kernel",
      "http/api",
      "http/client",
      "http/main",
      "http/mcp",
      "http/server",
      "cli/terminal",
      "cli/commands"
    ],
    effects: "all",
    node: true,
    law: "The command line's main/ opens servers and data; no adapter is imported by its name."
  },
  {
    name: "dashboard",
    place: "packages/dashboard/src",
    entries: [],
    knows: ["http/api"],
    types: ["http/api"],
    effects: "none",
    node: false,
    law: "The dashboard runs in a browser: it imports types of http's api/, and no code of ours."
  }
]

/** A row of a package's entry, which exports from layers and does nothing else. */
const entryOf = (path: string, knows: ReadonlyArray<string>, law: string): Layer => ({
  name: path,
  place: `packages/${path}`,
  entries: [],
  knows,
  effects: "none",
  node: false,
  law
})

/** The files that lie in no layer because a package begins with them. */
export const entryFiles: ReadonlyArray<Layer> = [
  entryOf(
    "engine/src/index.ts",
    ["engine/language", "engine/plan"],
    "The engine's entry exports from language/ and plan/."
  ),
  entryOf(
    "core/src/index.ts",
    [...core, "engine/kernel", "engine/language", "engine/plan"],
    "The entry of core exports from domain/, ports/, services/ and the engine."
  ),
  entryOf("core/src/kernel.ts", ["engine/kernel"], "This entry is the engine's kernel."),
  entryOf("core/src/engine.ts", ["engine/fast"], "This entry is the engine's fast path."),
  entryOf("core/src/research.ts", ["engine/research"], "This entry is the engine's research."),
  entryOf(
    "store-memory/src/index.ts",
    ["store-memory"],
    "The entry of store-memory exports from its own package."
  ),
  entryOf(
    "store-postgres/src/index.ts",
    ["store-postgres"],
    "The entry of store-postgres exports from its own package."
  ),
  entryOf(
    "webhooks/src/index.ts",
    ["webhooks", ...core],
    "The entry of webhooks exports from its own package and from core."
  ),
  entryOf(
    "report/src/index.ts",
    ["report/page"],
    "The entry of report exports from page/; what is read from the disk has an entry of its own."
  ),
  entryOf(
    "http/src/index.ts",
    ["http/api", "http/client", "http/server"],
    "The entry of http exports from api/, client/ and server/; only main/ brings adapters in."
  )
]

/** The package of a layer: `engine` of `engine/kernel`. */
export const packageOf = ({ place }: Layer): string => place.split("/")[1]!

/** The files that other layers have inside this one's folder. */
const isInside = (inner: Layer, outer: Layer): boolean =>
  inner !== outer && inner.place.startsWith(`${outer.place}/`)

/** Whether a layer may import another. */
export const mayImport = (from: Layer, to: Layer): boolean =>
  from === to || from.knows.includes(to.name)

/** The modules of Effect that hold data and pure functions; a layer that needs one more adds it. */
export const pureModules = [
  "BigDecimal",
  "Data",
  "Exit",
  "Graph",
  "JsonSchema",
  "Option",
  "Result",
  "Schema",
  "SchemaAST",
  "SchemaGetter",
  "SchemaIssue",
  "Struct"
]

/** The modules in which a port declares a service and writes the types of its members. */
const declaringModules = ["Context", "Effect", "Stream"]

/** The specifiers of Effect that are refused, by how much of it the layer may load. */
const effectGroups: Record<Effects, ReadonlyArray<string>> = {
  none: ["effect", "effect/**", "@effect/**"],
  values: ["effect/**", "@effect/**"],
  declarations: ["effect/**", "@effect/**"],
  library: ["@effect/**"],
  all: []
}

/** The only modules of Effect that are not refused, where not all are. */
const effectNames: Partial<Record<Effects, ReadonlyArray<string>>> = {
  values: pureModules,
  declarations: [...pureModules, ...declaringModules]
}

const unique = (values: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(values)]

/** Whether a layer may import only the types of another. */
export const mayImportTypesOnly = (from: Layer, to: Layer): boolean =>
  from.types?.includes(to.name) === true

const allEntries = unique(layers.flatMap(({ entries }) => entries))

/** The entries of the layers that one layer may import. */
const entriesOfKnown = (layer: Layer): ReadonlyArray<string> =>
  layers.filter((to) => to !== layer && mayImport(layer, to)).flatMap(({ entries }) => entries)

/** Whether an entry is of the layer's own package, which no source imports by its name. */
export const isOwnEntry = (layer: Layer, entry: string): boolean =>
  entry.split("/")[1] === packageOf(layer)

/** The entries of all packages that a layer may not import, or may import types of alone. */
const restrictedEntries = (layer: Layer) => {
  const allowed = new Set(entriesOfKnown(layer).filter((entry) => !isOwnEntry(layer, entry)))
  const ofTypes = new Set(
    layers
      .filter((to) => mayImportTypesOnly(layer, to))
      .flatMap(({ entries }) => entries)
      .filter((entry) => !isOwnEntry(layer, entry))
  )
  return allEntries
    .filter((name) => !allowed.has(name) || ofTypes.has(name))
    .map((name) => ({
      name,
      message: layer.law,
      ...(ofTypes.has(name) ? { allowTypeImports: true } : {})
    }))
}

const globOf = ({ place }: Layer): string => `**/${place.split("/").at(-1)!}/**`

const besides = (layer: Layer): ReadonlyArray<Layer> =>
  layers.filter((to) => to !== layer && packageOf(to) === packageOf(layer))

/** The folders beside a layer that it may not import. */
const forbiddenFolders = (layer: Layer): ReadonlyArray<string> =>
  besides(layer)
    .filter((to) => !mayImport(layer, to))
    .filter((to) => !isInside(layer, to) && !isInside(to, layer))
    .map(globOf)

/** The folders beside a layer of which it may import types alone. */
const foldersOfTypes = (layer: Layer): ReadonlyArray<string> =>
  besides(layer)
    .filter((to) => mayImportTypesOnly(layer, to))
    .map(globOf)

/** A pattern that lets the values of one file through: `!` before its folder and its name. */
const exceptionOf = (file: string): string => `!**/${file.split("/").slice(-2).join("/")}`

/** No source reaches into another package past its entries. */
const sourceFolders = unique(layers.map(packageOf)).map((name) => `**/${name}/src/**`)

/** The import restriction of one layer, as the linter reads it. */
export const restrictionOf = (layer: Layer) => {
  const { brings, effects, law: message, node, place } = layer
  const isFile = place.endsWith(".ts")
  const values = layer.values ?? []
  const group = [
    ...effectGroups[effects],
    ...(node ? [] : ["node:*"]),
    ...sourceFolders,
    ...forbiddenFolders(layer),
    ...(brings === undefined ? [] : ["./*", ...brings.map((file) => `!${file}`)])
  ]
  const typed = foldersOfTypes(layer)
  const patterns = [
    { group, message },
    ...(typed.length === 0
      ? []
      : [{ group: [...typed, ...values.map(exceptionOf)], message, allowTypeImports: true }])
  ]
  const allowImportNames = effectNames[effects]
  const paths = [
    ...restrictedEntries(layer),
    ...(allowImportNames === undefined ? [] : [{ name: "effect", allowImportNames, message }])
  ]
  return {
    files: isFile ? [place] : [`${place}/**`],
    rules: {
      "eslint/no-restricted-imports": ["error", { patterns, paths }]
    }
  }
}
