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
  /** Values and pure functions; no service, no layer, no clock. */
  | "values"
  /** Declarations of services, without a layer. */
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
  /** What another package writes to import the layer; a layer without entries is private. */
  readonly entries: ReadonlyArray<string>
  /** The names of the layers that this one may import, besides itself. */
  readonly knows: ReadonlyArray<string>
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
    effects: "none",
    node: false,
    law: "fast/ runs anywhere: it imports plan/, kernel/, match/ and the parts of language/ without Effect."
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
    name: "http/server",
    place: "packages/http/src/server",
    entries: ["@candlewick/http"],
    knows: [...core, "engine/kernel", "http/api"],
    effects: "all",
    node: true,
    law: "The server drives core; only main/ brings adapters in."
  },
  {
    name: "http/main",
    place: "packages/http/src/main",
    entries: [],
    knows: [
      ...core,
      "engine/kernel",
      "store-memory",
      "store-postgres",
      "webhooks",
      "http/api",
      "http/server"
    ],
    effects: "all",
    node: true,
    law: "main/ wires the server and its adapters; it imports no client and no testing/."
  }
]

/** The package of a layer: `engine` of `engine/kernel`. */
export const packageOf = ({ place }: Layer): string => place.split("/")[1]!

/** The files that other layers have inside this one's folder. */
const isInside = (inner: Layer, outer: Layer): boolean =>
  inner !== outer && inner.place.startsWith(`${outer.place}/`)

/** Whether a layer may import another. */
export const mayImport = (from: Layer, to: Layer): boolean =>
  from === to || from.knows.includes(to.name)

const servicesOfEffect = ["Context", "Stream", "Queue", "PubSub", "Ref", "Fiber", "Clock", "Random"]

/** What of Effect is refused, by what the layer may load. */
const effectGroups: Record<Effects, ReadonlyArray<string>> = {
  none: ["effect", "effect/**", "@effect/**"],
  values: ["effect/**", "@effect/**"],
  declarations: ["effect/**", "@effect/**"],
  library: ["@effect/**"],
  all: []
}

const effectNames: Partial<Record<Effects, ReadonlyArray<string>>> = {
  values: ["Layer", ...servicesOfEffect],
  declarations: ["Layer"]
}

const unique = (values: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(values)]

/** The entries of all packages that a layer may not import. */
const forbiddenEntries = (layer: Layer): ReadonlyArray<string> => {
  const allowed = new Set(
    layers.filter((to) => to !== layer && mayImport(layer, to)).flatMap(({ entries }) => entries)
  )
  return unique(layers.flatMap(({ entries }) => entries)).filter((entry) => !allowed.has(entry))
}

/** The folders beside a layer that it may not import. */
const forbiddenFolders = (layer: Layer): ReadonlyArray<string> =>
  layers
    .filter((to) => packageOf(to) === packageOf(layer) && !mayImport(layer, to))
    .filter((to) => !isInside(layer, to) && !isInside(to, layer))
    .map(({ place }) => `**/${place.split("/").at(-1)!}/**`)

/** No source reaches into another package past its entries. */
const sourceFolders = unique(layers.map(packageOf)).map((name) => `**/${name}/src/**`)

/** The import restriction of one layer, as the linter reads it. */
export const restrictionOf = (layer: Layer) => {
  const { brings = [], effects, law: message, node, place } = layer
  const isFile = place.endsWith(".ts")
  const group = [
    ...effectGroups[effects],
    ...(node ? [] : ["node:*"]),
    ...sourceFolders,
    ...forbiddenFolders(layer),
    ...(isFile ? ["./*", ...brings.map((file) => `!${file}`)] : [])
  ]
  const importNames = effectNames[effects]
  const paths = [
    ...forbiddenEntries(layer).map((name) => ({ name, message })),
    ...(importNames === undefined ? [] : [{ name: "effect", importNames, message }])
  ]
  return {
    files: isFile ? [place] : [`${place}/**`],
    rules: {
      "eslint/no-restricted-imports": ["error", { patterns: [{ group, message }], paths }]
    }
  }
}
