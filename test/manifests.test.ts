/**
 * The manifests of the published packages, as far as packing them doesn't show a fault.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const packages = join(root, "packages")

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

const manifests: ReadonlyArray<readonly [folder: string, Manifest]> = readdirSync(packages)
  .filter((folder) => existsSync(join(packages, folder, "package.json")))
  .map((folder) => [folder, readManifest(join(packages, folder))])

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

  it("have the server start with the published packages' dependencies and no others", () => {
    // `npm start` installs without devDependencies, so whatever stands here is downloaded by it.
    const downloaded = ["test", "examples", "bench/engine", "."].flatMap((folder) =>
      Object.keys(readManifest(join(root, folder)).dependencies ?? {})
    )
    const published = manifests.map(([, { name }]) => name)
    assert.deepStrictEqual(
      downloaded.filter((name) => !published.includes(name)),
      []
    )
  })
})
