/**
 * The names of the sources: each exported name has one meaning.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { ambiguousNames, conventions, exportedBy, mirrors, type Module } from "./names.ts"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")

/** The modules of the packages that git knows or would add. */
const modules: ReadonlyArray<Module> = execFileSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard", "packages/*/src/*"],
  { cwd: root, encoding: "utf8" }
)
  .split("\n")
  .filter((path) => /\.tsx?$/.test(path) && existsSync(join(root, path)))
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))

/** A module that declares these lines for others; written apart, so that this file declares none. */
const planted = (path: string, ...lines: ReadonlyArray<string>): Module => {
  const word = "export"
  return { path: `packages/${path}`, text: lines.map((line) => `${word} ${line}\n`).join("") }
}

describe("exported names", () => {
  it("are declared by one module each", () => {
    assert.isAbove(modules.length, 1_000)
    assert.deepStrictEqual(ambiguousNames(modules), [])
  })

  it("have a reason where many modules have them, or two forms of one module", () => {
    const counts = Object.keys(conventions).map(
      (name) => modules.filter(({ text }) => exportedBy(text).has(name)).length
    )
    for (const count of counts) assert.isAbove(count, 1)
    const reasons = [...Object.values(conventions), ...mirrors.map(([, , reason]) => reason)]
    for (const reason of reasons) assert.match(reason, / \w+ /)
  })

  it("are refused where two modules declare them, as values, types or parts of a list", () => {
    const found = ambiguousNames([
      planted("core/src/domain/Order.ts", "const Side = 1", "type Side = typeof Side"),
      planted("engine/src/language/sides.ts", "interface Side {}"),
      planted("engine/src/match/lots.ts", "function lotOf() {}", "let held: i32 = 0"),
      planted("core/src/services/lots.ts", "const lotOf = () => 1", "abstract class Lots {}"),
      { path: "packages/http/src/a.ts", text: "const Lots = 1\nexport { Lots, one as held }\n" },
      planted("report/src/only.ts", "const only = 1")
    ])
    assert.deepStrictEqual(found, [
      "Side: packages/core/src/domain/Order.ts, packages/engine/src/language/sides.ts",
      "lotOf: packages/engine/src/match/lots.ts, packages/core/src/services/lots.ts",
      "held: packages/engine/src/match/lots.ts, packages/http/src/a.ts",
      "Lots: packages/core/src/services/lots.ts, packages/http/src/a.ts"
    ])
  })

  it("may be exported again, be a value and its type, a convention, or in both forms", () => {
    const found = ambiguousNames([
      planted("core/src/domain/Order.ts", "const Side = 1", "type Side = typeof Side"),
      planted("core/src/index.ts", '{ Side } from "./domain/Order.ts"'),
      {
        path: "packages/core/src/more.ts",
        text: 'import { Side, type Leg } from "./domain/Order.ts"\nexport { Side }\n'
      },
      planted("store-memory/src/BotStore.ts", "const layer = 1"),
      planted("store-postgres/src/BotStore.ts", "const layer = 2"),
      planted("store-memory/src/internal/claim.ts", "const claim = 1"),
      planted("store-postgres/src/internal/claim.ts", "const claim = 2"),
      planted("engine/src/fast/kernels/memory.ts", "function readWord() {}"),
      planted("engine/src/match/memory.ts", "function readWord() {}")
    ])
    assert.deepStrictEqual(found, [])
  })

  it("are refused where two stores have them in parts of other names", () => {
    const found = ambiguousNames([
      planted("store-memory/src/internal/health.ts", "const healthOf = 1"),
      planted("store-postgres/src/internal/records.ts", "const healthOf = 2")
    ])
    assert.strictEqual(found.length, 1)
  })
})
