/**
 * The repository's own manners, as far as a linter can't see them.
 */
import { execFileSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { entryFiles, layers } from "../scripts/layers.ts"
import { membersOf } from "./portMembers.ts"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** Every file that git knows or would add. */
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8"
})
  .split("\n")
  .filter((path) => path !== "" && existsSync(join(root, path)))

const sources = files.filter((path) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path))
const authored = sources.filter((path) => basename(path) !== "index.ts")
const docs = files.filter((path) => path.endsWith(".md"))

/** The files of ports/ that declare something in a way. */
const portsWith = (declared: RegExp): ReadonlyArray<string> =>
  sources.flatMap((path) => {
    const port = /^packages\/core\/src\/ports\/(\w+)\.ts$/.exec(path)?.[1]
    return port !== undefined && declared.test(read(path)) ? [port] : []
  })

/** The ports that adapters supply: files that define a service, not a reference with a default. */
const supplied = portsWith(/extends Context\.Service\b/)

/** All ports. */
const ports = portsWith(/\bContext\.(?:Service|Reference)\b/)

const membersMax = 10

/** The ports of a folder that are too large, with their sizes; one that can't be counted is too. */
const oversizedPorts = (folder: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const members = membersOf(folder)
  return names.flatMap((name) => {
    const count = members.get(name)?.length ?? 0
    if (count === 0) return [`${name} has no members that can be counted`]
    return count > membersMax ? [`${name} has ${count} members`] : []
  })
}

/** A folder of ports that stand there only while they are looked at. */
const withPorts = <A>(ports: Readonly<Record<string, string>>, look: (folder: string) => A): A => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ports-")))
  try {
    const options = { compilerOptions: { noLib: true, types: [] }, include: ["src"] }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options))
    mkdirSync(join(folder, "src/ports"), { recursive: true })
    for (const [name, text] of Object.entries(ports)) {
      writeFileSync(join(folder, `src/ports/${name}.ts`), text)
    }
    return look(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The faults of a file's directives that tell the linter to look away. */
const faultsOfExcuses = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/(?:oxlint|eslint)-disable(?:-next-line|-line)?\b([^\n]*)/g)].flatMap(
    ([excuse, rest]) => {
      const [rules = "", reason = ""] = rest!.replace("*/", "").split(" -- ")
      if (rules.trim() === "") return [`${excuse} names no rule`]
      if (rules.includes("max-lines")) return [`${excuse} excuses a length`]
      return reason.trim() === "" ? [`${excuse} gives no reason`] : []
    }
  )

describe("manners", () => {
  it("gives every port a suite that some adapter runs", () => {
    const tests = files.filter((path) => path.endsWith(".test.ts")).map(read)
    const lonely = supplied.filter(
      (port) =>
        !files.includes(`packages/core/src/testing/${port}Suite.ts`) ||
        !tests.some((text) => text.includes(`${port}Suite.suite(`))
    )
    assert.deepStrictEqual(lonely, [])
  })

  it("gives a port ten members at most", () => {
    assert.isAbove(ports.length, 20)
    assert.deepStrictEqual(oversizedPorts(join(root, "packages/core"), ports), [])
  })

  it("counts properties, methods and inherited members of a port", () => {
    const listed = (count: number) =>
      Array.from({ length: count }, (_, at) => `readonly member${at}: () => void`).join("\n")
    const ofShape = (shape: string) =>
      `import { Context } from "effect"\nexport class X extends Context.Service<X, ${shape}>()("x") {}\n`
    const planted = {
      Full: ofShape(`{ ${listed(9)}\nmethod(): void }`),
      Properties: ofShape(`{ ${listed(11)} }`),
      Methods: ofShape(`{ ${listed(9)}\nmethod(): void\nmore?(): void }`),
      Inherited: `interface Base { ${listed(10)} }\ninterface Members extends Base { one(): void }\n${ofShape("Members")}`,
      Reference: `export const R = Context.Reference<{ ${listed(11)} }>("r", {})\n`,
      Shapeless: `export class X extends Context.Service<X>()("x", {}) {}\n`
    }
    assert.deepStrictEqual(
      withPorts(planted, (folder) => oversizedPorts(folder, Object.keys(planted))),
      [
        "Properties has 11 members",
        "Methods has 11 members",
        "Inherited has 11 members",
        "Reference has 11 members",
        "Shapeless has no members that can be counted"
      ]
    )
  })

  it("looks away from a lint rule only with a reason, and from no length", () => {
    const found = sources.flatMap((path) =>
      faultsOfExcuses(read(path)).map((fault) => `${path}: ${fault}`)
    )
    assert.deepStrictEqual(found, [])
  })

  it("refuses an excuse for a length, one without a rule and one without a reason", () => {
    const faults = [
      "// oxlint-disable-next-line no-shadow",
      "// eslint-disable-next-line eslint/max-lines-per-function -- it is long",
      "/* oxlint-disable max-lines -- it is long */",
      "/* oxlint-disable */",
      "// oxlint-disable-line -- all of them",
      "// oxlint-disable-next-line no-shadow -- the name is the caller's"
    ].map((text) => faultsOfExcuses(text).length)
    assert.deepStrictEqual(faults, [1, 1, 1, 1, 1, 0])
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
    const exported =
      /^export (?:abstract |async )*(?:const|class|interface|type|enum|function\*?) (\w+)/
    const silent = authored.flatMap((path) => {
      const lines = read(path).split("\n")
      return lines.flatMap((line, index) => {
        const name = exported.exec(line)?.[1]
        if (name === undefined) return []
        const before = lines[index - 1] ?? ""
        // A type that goes by the name of a value beside it is described there.
        const isDescribed = lines.some(
          (other, at) =>
            at !== index && new RegExp(`^export (?:const|class) ${name}\\b`).test(other)
        )
        return before.trimEnd().endsWith("*/") || (isDescribed && line.startsWith("export type"))
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

  it("names only files that exist in its documentation", () => {
    const named = /`([\w@./-]*[\w-]\.(?:ts|js|mjs|md|yml))`/g
    const missing = docs
      .filter((path) => path.startsWith("docs/") || path === "CONTRIBUTING.md")
      .flatMap((path) =>
        [...read(path).matchAll(named)].flatMap(([, name]) =>
          files.some((file) => file === name || file.endsWith(`/${name}`))
            ? []
            : [`${path}: ${name}`]
        )
      )
    assert.deepStrictEqual(missing, [])
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
