/**
 * The repository's own manners, as far as a linter can't see them.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { entryFiles, layers } from "../scripts/layers.ts"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** Every file that git knows or would add. */
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8"
})
  .split("\n")
  .filter((path) => path !== "" && existsSync(join(root, path)))

const sources = files.filter((path) => /^packages\/[^/]+\/src\/.*\.ts$/.test(path))
const authored = sources.filter((path) => basename(path) !== "index.ts")
const docs = files.filter((path) => path.endsWith(".md"))

/** The ports: files that define a service, not those that only name types of several. */
const ports = sources.flatMap((path) => {
  const port = /^packages\/core\/src\/ports\/(\w+)\.ts$/.exec(path)?.[1]
  return port !== undefined && read(path).includes("extends Context.Service<") ? [port] : []
})

const portText = (port: string): string => read(`packages/core/src/ports/${port}.ts`)

/** The members that a port declares; the formatter sees to it that they are four columns in. */
const membersOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^    readonly (\w+)\??:/gm)].map(([, name]) => name!)

const membersMax = 10

/** What is wrong with the size of a port, or null: none that can be counted is refused too. */
const misfit = (text: string): string | null => {
  const { length } = membersOf(text)
  if (length === 0) return "declares no members of its own"
  return length > membersMax ? `has ${length} members` : null
}

describe("manners", () => {
  it("gives every port a suite that some adapter runs", () => {
    const tests = files.filter((path) => path.endsWith(".test.ts")).map(read)
    const lonely = ports.filter(
      (port) =>
        !files.includes(`packages/core/src/testing/${port}Suite.ts`) ||
        !tests.some((text) => text.includes(`${port}Suite.suite(`))
    )
    assert.deepStrictEqual(lonely, [])
  })

  it("gives a port ten members at most", () => {
    const misfits = ports.flatMap((port) => {
      const fault = misfit(portText(port))
      return fault === null ? [] : [`${port} ${fault}`]
    })
    assert.deepStrictEqual(misfits, [])
  })

  it("refuses a port with one member more, and one whose members stand elsewhere", () => {
    const text = portText("BotStore")
    const free = membersMax - membersOf(text).length
    const withMore = (count: number) => {
      const more = Array.from({ length: count }, (_, at) => `    readonly more${at}: () => void\n`)
      return text.replace(/^    readonly /m, `${more.join("")}$&`)
    }
    assert.isNull(misfit(withMore(free)))
    assert.strictEqual(misfit(withMore(free + 1)), `has ${membersMax + 1} members`)
    const elsewhere = "export class X extends Context.Service<X, Members>()() {}"
    assert.strictEqual(misfit(elsewhere), "declares no members of its own")
  })

  it("has no source outside the layers and the entries", () => {
    const strays = sources.filter(
      (path) =>
        !layers.some(({ place }) => path === place || path.startsWith(`${place}/`)) &&
        !entryFiles.some(({ place }) => path === place)
    )
    assert.deepStrictEqual(strays, [])
  })

  it("names test files after what they run on", () => {
    const wanted = (text: string): string | null => {
      if (/\/(?:startPostgres|serverProcess|servedBots|examples)\.ts"/.test(text)) return "process"
      return /\/onEveryDatabase\.ts"/.test(text) ? "integration" : null
    }
    const misnamed = files.filter((path) => {
      const kind = path.endsWith(".test.ts") ? wanted(read(path)) : null
      return kind !== null && !path.endsWith(`.${kind}.test.ts`)
    })
    assert.deepStrictEqual(misnamed, [])
  })

  it("opens every module with a comment", () => {
    const bare = sources.filter((path) => !/^(#!.*\n)?\/\*\*\n \* \S/.test(read(path)))
    assert.deepStrictEqual(bare, [])
  })

  it("says of every export what it is", () => {
    const silent = authored.flatMap((path) => {
      const lines = read(path).split("\n")
      return lines.flatMap((line, index) => {
        const name = /^export (?:const|class|interface|type|function) (\w+)/.exec(line)?.[1]
        if (name === undefined) return []
        const before = lines[index - 1] ?? ""
        // A type that goes by the name of a value beside it is described there.
        const isTwin = lines.some(
          (other, at) =>
            at !== index && new RegExp(`^export (?:const|class) ${name}\\b`).test(other)
        )
        return before.trimEnd().endsWith("*/") || (isTwin && line.startsWith("export type"))
          ? []
          : [`${path}:${index + 1} ${name}`]
      })
    })
    assert.deepStrictEqual(silent, [])
  })

  it("keeps files under 400 lines and lines but texts within 100 columns", () => {
    const long = authored.flatMap((path) => {
      const lines = read(path).split("\n")
      const wide = lines.findIndex((line) => line.length > 100 && !/["`]/.test(line))
      return [
        ...(lines.length > 400 ? [`${path} has ${lines.length} lines`] : []),
        ...(wide >= 0 ? [`${path}:${wide + 1} is too wide`] : [])
      ]
    })
    assert.deepStrictEqual(long, [])
  })

  it("names no file after nothing", () => {
    const banned =
      /^(utils?|helpers?|common|misc|manager|data|info|processor|base|abstract|impl)\.ts$/i
    assert.deepStrictEqual(
      sources.filter((path) => banned.test(basename(path))),
      []
    )
  })

  it("uses the words of the glossary", () => {
    const banned = /\b(kline|klines|OHLCV|hyperparameters?|slippages)\b/i
    const found = [...sources, ...docs.filter((path) => path.startsWith("docs/"))].filter(
      (path) =>
        path !== "docs/glossary.md" &&
        !path.startsWith("docs/decisions/") &&
        banned.test(read(path))
    )
    assert.deepStrictEqual(found, [])
  })

  it("has no broken link in its documentation", () => {
    const broken = docs.flatMap((path) =>
      [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].flatMap(([, target]) =>
        existsSync(join(root, dirname(path), target!)) ? [] : [`${path} → ${target}`]
      )
    )
    assert.deepStrictEqual(broken, [])
  })

  it("excuses no function of a package for its length", () => {
    const { overrides } = JSON.parse(read(".oxlintrc.json")) as {
      readonly overrides: ReadonlyArray<{
        readonly files: ReadonlyArray<string>
        readonly rules: Readonly<Record<string, unknown>>
      }>
    }
    const rules = overrides.flatMap(({ files, rules }) => {
      const setting = rules["eslint/max-lines-per-function"]
      return setting === undefined ? [] : [{ files, severity: [setting].flat()[0] }]
    })
    assert.deepStrictEqual(rules, [{ files: ["packages/*/src/**"], severity: "error" }])
  })

  it("lists the names of its entries; only another package's entry is exported whole", () => {
    const whole = sources.flatMap((path) =>
      [...read(path).matchAll(/^export \* from "(\.[^"]+)"/gm)].map(([, to]) => `${path} → ${to}`)
    )
    assert.deepStrictEqual(whole, [])
  })

  it("closes no circle of imports, by types neither", () => {
    const imports = new Map(
      sources.map((path) => [
        path,
        [...read(path).matchAll(/^(?:import|export)\b[^"]*?from "(\.[^"]+)"/gm)].map(([, to]) =>
          join(dirname(path), to!)
        )
      ])
    )
    const finished = new Set<string>()
    const circles: Array<string> = []
    const visit = (path: string, above: ReadonlyArray<string>): void => {
      if (above.includes(path)) {
        circles.push([...above.slice(above.indexOf(path)), path].join(" → "))
        return
      }
      if (finished.has(path)) return
      for (const to of imports.get(path) ?? []) visit(to, [...above, path])
      finished.add(path)
    }
    for (const path of imports.keys()) visit(path, [])
    assert.deepStrictEqual(circles, [])
  })

  it("says of every golden folder where it comes from", () => {
    const told = read("test/golden/SOURCES.md")
    const folders = new Set(
      files.flatMap((path) => /^test\/golden\/([^/]+)\//.exec(path)?.[1] ?? [])
    )
    assert.deepStrictEqual(
      [...folders].filter((folder) => !told.includes(`${folder}/`)),
      []
    )
  })
})
