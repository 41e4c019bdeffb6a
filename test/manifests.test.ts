/**
 * The manifests of the published packages, as far as packing them doesn't show a fault.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const packages = join(dirname(fileURLToPath(import.meta.url)), "..", "packages")

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
}

const manifests: ReadonlyArray<readonly [folder: string, Manifest]> = readdirSync(packages)
  .filter((folder) => existsSync(join(packages, folder, "package.json")))
  .map((folder) => [
    folder,
    JSON.parse(readFileSync(join(packages, folder, "package.json"), "utf8"))
  ])

const sourcesOf = (folder: string): string =>
  readdirSync(join(packages, folder, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readFileSync(join(packages, folder, "src", path), "utf8"))
    .join("\n")

describe("manifests", () => {
  it("name no dependency that no source imports", () => {
    const unused = manifests.flatMap(([folder, { name, dependencies = {} }]) => {
      const sources = sourcesOf(folder)
      return Object.keys(dependencies)
        .filter((dependency) => !new RegExp(`["']${dependency}(/[^"']*)?["']`).test(sources))
        .map((dependency) => `${name} → ${dependency}`)
    })
    assert.deepStrictEqual(unused, [])
  })
})
