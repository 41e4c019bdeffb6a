/**
 * The laws of dependence are lint rules, written from the table of layers. One import is planted
 * for every pair of layers, and for every pair of an entry and a layer. A forbidden one must be
 * refused, an allowed one must pass.
 */
import { execFile } from "node:child_process"
import { copyFile, cp, mkdir, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import {
  entryFiles,
  isOwnEntry,
  type Layer,
  layers,
  mayImport,
  mayImportTypesOnly,
  packageOf,
  pureModules
} from "../scripts/layers.ts"

const run = promisify(execFile)
const root = join(dirname(fileURLToPath(import.meta.url)), "..")

/** Planted in a folder with a copy of the rules, so that the tree itself is never touched. */
const world = join(tmpdir(), `planted-${process.pid}`)

interface Planted {
  readonly what: string
  readonly file: string
  readonly source: string
  /** The linter's expected message, or null where it must give none. */
  readonly message: string | null
}

const isFile = ({ place }: Layer): boolean => place.endsWith(".ts")

/** A file of a layer; a layer that is one file has only that one. */
const fileOf = (layer: Layer, name: string): string =>
  isFile(layer) ? join(dirname(layer.place), name, "verify.ts") : join(layer.place, name)

/** How the code of one layer would import another: by an entry, or past the entries. */
const specifiersOf = (from: Layer, to: Layer, file: string): ReadonlyArray<string> => {
  const target = isFile(to) ? to.place : `${to.place}/Any.ts`
  const path = relative(dirname(file), target)
  return [...to.entries, path.startsWith(".") ? path : `./${path}`]
}

/** A layer imports its own package by paths and others by their entries, whatever it may import. */
const isFit = (from: Layer, to: Layer, specifier: string): boolean =>
  specifier.startsWith(".") ? packageOf(from) === packageOf(to) : !isOwnEntry(from, specifier)

const isAllowed = (from: Layer, to: Layer, specifier: string): boolean =>
  mayImport(from, to) && !mayImportTypesOnly(from, to) && isFit(from, to, specifier)

const pairs: ReadonlyArray<Planted> = layers
  .filter((from) => !isFile(from))
  .flatMap((from, row) =>
    layers.flatMap((to, column) => {
      if (from === to || from.place.startsWith(`${to.place}/`)) return []
      // A folder holds the file of `to`: one package, one law for both.
      if (to.place.startsWith(`${from.place}/`)) return []
      return specifiersOf(from, to, `${from.place}/Any.ts`).map((specifier, index): Planted => {
        const message = isAllowed(from, to, specifier) ? null : from.law
        const verb = message === null ? "may import" : "may not import"
        return {
          what: `${from.name} ${verb} ${to.name} as ${specifier}`,
          file: fileOf(from, `Planted${row}x${column}x${index}.ts`),
          source: `import { planted } from "${specifier}"\nexport { planted }\n`,
          message
        }
      })
    })
  )

/** The same pairs once more, where a layer may import types and no values. */
const types: ReadonlyArray<Planted> = layers.flatMap((from, row) =>
  layers
    .filter((to) => mayImportTypesOnly(from, to))
    .flatMap((to, column) =>
      specifiersOf(from, to, `${from.place}/Any.ts`)
        .filter((specifier) => isFit(from, to, specifier))
        .map((specifier, index): Planted => ({
          what: `${from.name} may import types of ${to.name} as ${specifier}`,
          file: fileOf(from, `Types${row}x${column}x${index}.ts`),
          source: `import type { Planted } from "${specifier}"\nexport type Copy = Planted\n`,
          message: null
        }))
    )
)

/** One file with several lines, of which the linter must refuse some. */
interface PlantedLines {
  readonly what: string
  readonly file: string
  readonly lines: ReadonlyArray<readonly [text: string, isFine: boolean]>
}

const exported = (name: string, specifier: string, at: number): string =>
  `export { ${name} as planted${at} } from "${specifier}"`

const impureModules = [
  "Clock",
  "Config",
  "Deferred",
  "Fiber",
  "Layer",
  "Logger",
  "ManagedRuntime",
  "PubSub",
  "Queue",
  "Random",
  "Ref",
  "Schedule",
  "Scope",
  "Semaphore",
  "Tracer"
]

const declaringModules = ["Context", "Effect", "Stream"]

const wholeEffect = `export * as effect from "effect"`

/** Each module of Effect in each layer, and a module of Node. */
const outside: ReadonlyArray<PlantedLines> = layers
  .filter((layer) => !isFile(layer))
  .map((layer) => {
    const { effects } = layer
    const isFree = effects === "library" || effects === "all"
    const allowed = new Set([
      ...(effects === "none" ? [] : pureModules),
      ...(effects === "declarations" || isFree ? declaringModules : []),
      ...(isFree ? impureModules : [])
    ])
    return {
      what: `${layer.name} imports of Effect and Node what its row says`,
      file: fileOf(layer, "Outside.ts"),
      lines: [
        ...[...pureModules, ...declaringModules, ...impureModules].map(
          (name, at) => [exported(name, "effect", at), allowed.has(name)] as const
        ),
        [wholeEffect, isFree],
        [exported("join", "node:path", 99), layer.node]
      ]
    }
  })

/**
 * Each layer in each entry file, Effect and Node: an entry exports from layers and does no more.
 */
const entries: ReadonlyArray<PlantedLines> = entryFiles.map((entry) => {
  const found = layers
    .filter((to) => !isFile(to) || packageOf(to) !== packageOf(entry))
    .flatMap((to) =>
      specifiersOf(entry, to, entry.place).map(
        (specifier) => [specifier, isAllowed(entry, to, specifier)] as const
      )
    )
  return {
    what: `${entry.name} exports from the layers of its row`,
    file: entry.place,
    lines: [
      ...found.map(([specifier, isFine], at) => [exported("it", specifier, at), isFine] as const),
      [exported("Layer", "effect", 97), false],
      [wholeEffect, false],
      [exported("join", "node:path", 99), false]
    ]
  }
})

const fillLaw = "stands in match/fillRules.ts"

const stateLaw = "A state comes from its table"

const others: ReadonlyArray<Planted> = [
  ...["notAmong", "resolveSetting", "valueFault"].map((name) => ({
    what: `fast/ may import ${name} of language/, which loads no Effect`,
    file: `packages/engine/src/fast/Imports${name}.ts`,
    source: `export { ${name} } from "../language/${name}.ts"\n`,
    message: null
  })),
  {
    what: "kernel/ knows no clock",
    file: "packages/engine/src/kernel/Clock.ts",
    source: `export const planted = new Date(0)\n`,
    message: "A kernel gets its times as numbers"
  },
  {
    what: "verify imports no Effect",
    file: "packages/webhooks/src/verify.ts",
    source: `import { Effect } from "effect"\nexport const planted = Effect.void\n`,
    message: "verify stands alone"
  },
  {
    what: "randomness is seeded",
    file: "packages/core/src/services/Random.ts",
    source: `export const planted = Math.random()\n`,
    message: "Randomness is seeded"
  },
  {
    what: "time comes from the Clock",
    file: "packages/webhooks/src/Now.ts",
    source: `export const planted = Date.now()\n`,
    message: "Time comes from Effect's Clock"
  },
  ...[
    ["new Date()", "Time comes"],
    ["Date()", "Time comes"],
    ["performance.now()", "Time comes"],
    ["globalThis.performance", "Time comes"],
    ["globalThis.Date", "Time comes"],
    ["globalThis.Math.random()", "Randomness is seeded"],
    ["crypto.randomUUID()", "Randomness is seeded"],
    ["globalThis.crypto.randomUUID()", "Randomness is seeded"]
  ].map(([call, message], at) => ({
    what: `no package calls ${call}`,
    file: `packages/core/src/services/Host${at}.ts`,
    source: `export const planted = ${call}\n`,
    message: message!
  })),
  {
    what: "a date of a time reads no clock",
    file: "packages/core/src/services/Dated.ts",
    source: `export const planted = new Date(0)\n`,
    message: null
  },
  ...[
    ["a function", "export const planted = () => 1"],
    ["work", "Math.max(1, 2)"],
    ["a computed value", "export const planted = Math.max(1, 2)"],
    ["a variable", "export let planted = 1"],
    ["a class of its own", "export class Planted {}"],
    [
      "a service with code",
      `import { Context } from "effect"\nexport class Planted extends Context.Service<Planted, {}>()("x") {\n  static planted = 1\n}`
    ],
    ["an import for its effect", `import "../domain/Planted.ts"`]
  ].map(([thing, source], at) => ({
    what: `ports/ hold no ${thing}`,
    file: `packages/core/src/ports/Declared${at}.ts`,
    source: `${source}\n`,
    message: "ports/ are declarations"
  })),
  {
    what: "ports/ may declare services, references, types and texts",
    file: "packages/core/src/ports/DeclaredWell.ts",
    source: `import { Context } from "effect"\nexport class Planted extends Context.Service<Planted, {}>()("x") {}\nexport const planted = Context.Reference<number>("y", { defaultValue: () => 1 })\nexport const mark = "z"\nexport interface Mark {}\nexport type { Order } from "../domain/Order.ts"\n`,
    message: null
  },
  {
    what: "a state is no text in an object",
    file: "packages/core/src/services/State.ts",
    source: `export const planted = { status: "queued" as const }\n`,
    message: stateLaw
  },
  {
    what: "a state is no text in a choice",
    file: "packages/webhooks/src/State.ts",
    source: `export const planted = (isOff: boolean) => ({ status: isOff ? "skipped" : "pending" })\n`,
    message: stateLaw
  },
  {
    what: "a state is no text that is assigned",
    file: "packages/store-memory/src/State.ts",
    source: `export const planted = (run: { status: string }): void => {\n  run.status = "failed"\n}\n`,
    message: stateLaw
  },
  {
    what: "a trading state is no text",
    file: "packages/core/src/services/bots/State.ts",
    source: `export const planted = { trading_state: "active" }\n`,
    message: stateLaw
  },
  {
    what: "a phase is no text",
    file: "packages/core/src/services/venues/State.ts",
    source: `export const planted = (order: {}) => ({ ...order, phase: "cancelled" })\n`,
    message: stateLaw
  },
  {
    what: "a state of an attempt is no text",
    file: "packages/core/src/services/venues/AttemptState.ts",
    source: `export const planted = (attempt: {}) => ({ ...attempt, state: "over" })\n`,
    message: stateLaw
  },
  {
    what: "a service secret is no text",
    file: "packages/core/src/services/webhooks/Secret.ts",
    source: `export const planted = (isOver: boolean) => ({ service_secret: isOver ? "newest" : "previous" })\n`,
    message: stateLaw
  },
  {
    what: "a refusal names no state by a text",
    file: "packages/core/src/services/webhooks/Refusal.ts",
    source: `export const planted = { current_state: "disabled" }\n`,
    message: stateLaw
  },
  {
    what: "SQL sets no status to a text",
    file: "packages/store-postgres/src/State.ts",
    source: `export const planted = \`update deliveries set version = 2, status = 'failed' where id = 1\`\n`,
    message: stateLaw
  },
  {
    what: "SQL may compare a status with a text",
    file: "packages/store-postgres/src/Where.ts",
    source: `export const planted = \`update deliveries set version = 2 where status = 'failed'\`\n`,
    message: null
  },
  {
    what: "code may compare a status with a text",
    file: "packages/core/src/services/Compared.ts",
    source: `export const planted = (run: { status: string }) => run.status === "failed"\n`,
    message: null
  },
  {
    what: "a table names its states",
    file: "packages/core/src/domain/PlantedMachine.ts",
    source: `export const planted = { status: "queued" }\n`,
    message: null
  },
  ...[
    ["by a key in brackets", `{ planted: { ["status"]: "failed" } }`],
    ["as the default of an argument", `(status = "stopped") => status`],
    ["as the default of a field", `({ status: state = "stopped" }) => state`]
  ].map(([where, source], at) => ({
    what: `a state is no text ${where}`,
    file: `packages/core/src/services/Written${at}.ts`,
    source: `export const planted = ${source}\n`,
    message: stateLaw
  })),
  {
    what: "a state is no text in a field of a class",
    file: "packages/core/src/services/StateOfClass.ts",
    source: `export class Planted {\n  status: string = "failed"\n}\n`,
    message: stateLaw
  },
  {
    what: "a state is no constant text of the same file",
    file: "packages/core/src/services/Constant.ts",
    source: `const gone = "failed"\nexport const planted = (run: object) => ({ ...run, status: gone })\n`,
    message: stateLaw
  },
  {
    what: "a state may come from an argument by the name of a constant",
    file: "packages/core/src/services/Argument.ts",
    source: `export const gone = "failed"\nexport const planted = (gone: string) => ({ status: gone })\n`,
    message: null
  },
  {
    what: "a state may come from its table",
    file: "packages/core/src/services/Tabled.ts",
    source: `import { RunMachine } from "../domain/RunMachine.ts"\nconst { initial } = RunMachine\nexport const planted = { ["status"]: initial, state: RunMachine.initial }\n`,
    message: null
  },
  ...[
    `"update runs set status = 'failed'"`,
    `"update bots set version = 2, trading_state = 'halted' where id = 1"`,
    `"insert into runs (id, status) values ('a, b', 'failed')"`,
    `"update order_attempts set state = 'over'"`,
    "`insert into runs (id, status) values (lower(${1}), ${2}), (${3}, 'failed')`"
  ].map((sql, at) => ({
    what: `SQL writes no state: ${sql}`,
    file: `packages/store-postgres/src/Sql${at}.ts`,
    source: `export const planted = ${sql}\n`,
    message: stateLaw
  })),
  {
    what: "SQL may insert a state that it is given",
    file: "packages/store-postgres/src/Given.ts",
    source:
      "export const planted = (status: string) => `insert into runs (id, status) values ('a, b', ${status})`\n",
    message: null
  },
  {
    what: "a stop is not compared with a price of a candle",
    file: "packages/engine/src/kernel/Stopped.ts",
    source: `export const planted = (stop: number, c: { low: number }) => c.low <= stop\n`,
    message: fillLaw
  },
  {
    what: "a target is not compared with a price by a difference",
    file: "packages/engine/src/plan/Passed.ts",
    source: `export const planted = (target: number, open: number) => (open - target) * -1 >= 0\n`,
    message: fillLaw
  },
  {
    what: "a kernel of the fast path writes no rule of fills",
    file: "packages/engine/src/fast/kernels/Read.ts",
    source: `export const planted = (o: { stopPrice: number }, highs: Float64Array, at: number) =>\n  highs[at]! > o.stopPrice\n`,
    message: fillLaw
  },
  {
    what: "the rule of fills compares them",
    file: "packages/engine/src/match/fillRules.ts",
    source: `export const planted = (limit: number, low: number) => low <= limit\n`,
    message: null
  },
  {
    what: "a search knows a floor and a ceiling",
    file: "packages/engine/src/fast/kernels/Search.ts",
    source: `export const planted = (floor: number, low: number) => low <= floor\n`,
    message: null
  },
  {
    what: "a function has at most 70 lines",
    file: "packages/http/src/server/Long.ts",
    source: `export const planted = (): number => {\n${"  // A line.\n".repeat(69)}  return 1\n}\n`,
    message: "too many lines"
  },
  {
    what: "a function may have 70 lines",
    file: "packages/http/src/server/Short.ts",
    source: `export const planted = (): number => {\n${"  // A line.\n".repeat(67)}  return 1\n}\n`,
    message: null
  }
]

interface Diagnostic {
  readonly code: string
  readonly message: string
  readonly help?: string
  readonly filename: string
  readonly labels: ReadonlyArray<{ readonly span: { readonly line: number } }>
}

describe("the laws of dependence", () => {
  const said = new Map<string, string>()
  const refused = new Map<string, Set<number>>()

  beforeAll(async () => {
    await rm(world, { recursive: true, force: true })
    await mkdir(world, { recursive: true })
    await copyFile(join(root, ".oxlintrc.json"), join(world, ".oxlintrc.json"))
    await cp(join(root, "scripts/lint"), join(world, "scripts/lint"), { recursive: true })
    const written = [...outside, ...entries].map(({ file, lines }) => {
      const source = lines.map(([text]) => `${text}\n`).join("")
      return { file, source }
    })
    for (const { file, source } of [...pairs, ...types, ...others, ...written]) {
      await mkdir(join(world, dirname(file)), { recursive: true })
      await writeFile(join(world, file), source)
    }
    const args = ["--no-ignore", "--config", ".oxlintrc.json", "--format", "json", "packages"]
    const { stdout } = await run(join(root, "node_modules/.bin/oxlint"), args, {
      cwd: world,
      maxBuffer: 1 << 28
    }).catch((error: { readonly stdout: string }) => error)
    const { diagnostics } = JSON.parse(stdout) as {
      readonly diagnostics: ReadonlyArray<Diagnostic>
    }
    for (const { code, filename, help = "", labels, message } of diagnostics) {
      if (code.includes("no-restricted-imports")) {
        const lines = refused.get(filename) ?? new Set()
        refused.set(filename, lines)
        for (const { span } of labels) lines.add(span.line)
      }
      said.set(filename, `${said.get(filename) ?? ""}${code} ${message} ${help}\n`)
    }
  })

  afterAll(() => rm(world, { recursive: true, force: true }))

  const check = ({ file, message }: Planted): void => {
    const found = said.get(file) ?? ""
    if (message !== null) assert.include(found, message)
    else assert.notMatch(found, /no-restricted|max-lines|candlewick\(/)
  }

  it("plants one import for every pair of layers that has one", () => {
    const named = new Set(
      pairs.map(({ what }) => what.replace(/ may (not )?import (\S+) as .*/, " to $2"))
    )
    const folders = layers.filter((layer) => !isFile(layer)).length
    // verify lies inside webhooks, and one law holds for both.
    assert.strictEqual(named.size, folders * (layers.length - 1) - 1)
  })

  for (const planted of [...pairs, ...types, ...others]) {
    it(planted.what, () => {
      check(planted)
    })
  }

  for (const { file, lines, what } of [...outside, ...entries]) {
    it(what, () => {
      const found = lines.filter((_line, at) => refused.get(file)?.has(at + 1) === true)
      assert.deepStrictEqual(
        found,
        lines.filter(([, isFine]) => !isFine)
      )
    })
  }
})

/** The files that a process loads when it imports some, relative to the root. */
const loadedBy = async (...files: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const script = `
    import { registerHooks } from "node:module"
    const urls = []
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
    for (const url of process.argv.slice(1)) await import(url)
    console.log(JSON.stringify(urls))`
  const urls = files.map((file) => pathToFileURL(join(root, file)).href)
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script, ...urls], {
    maxBuffer: 1 << 28
  })
  const found = JSON.parse(stdout) as ReadonlyArray<string>
  return found.map((loaded) =>
    loaded.startsWith("file:") ? relative(root, fileURLToPath(loaded)) : loaded
  )
}

const isOurs = (path: string): boolean => path.startsWith("packages/engine/src/")

describe("the modules that the engine loads", () => {
  it("is in match/ and kernel/ only these two", async () => {
    const strangers = async (names: ReadonlyArray<string>, may: RegExp) =>
      (await loadedBy(...names.map((name) => `packages/engine/src/${name}`))).filter(
        (path) => !may.test(path)
      )
    const matchFiles = await readdir(join(root, "packages/engine/src/match"))
    assert.include(matchFiles, "Matcher.ts")
    const [matching, kernel] = await Promise.all([
      strangers(
        matchFiles.map((name) => `match/${name}`),
        /^packages\/engine\/src\/match\//
      ),
      strangers(["kernel/index.ts"], /^packages\/engine\/src\/(match|kernel)\//)
    ])
    assert.deepStrictEqual([matching, kernel], [[], []])
  })

  it("is in fast/ nothing but the engine itself, and no Effect", async () => {
    const loaded = await loadedBy("packages/engine/src/fast/index.ts")
    assert.include(loaded, "packages/engine/src/fast/runMany.ts")
    assert.deepStrictEqual(
      loaded.filter((path) => !isOurs(path)),
      []
    )
  })

  it("is Effect as well where strategies are checked, and the look at it sees that", async () => {
    const loaded = await loadedBy("packages/engine/src/language/Capital.ts")
    assert.isTrue(loaded.some((path) => path.includes("/effect/")))
  })
})
