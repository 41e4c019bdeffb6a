/**
 * The manifests of the published packages, as far as packing them doesn't show a fault.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const packages = join(root, "packages")

const repository = "https://github.com/candlewick-trading/candlewick"

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly engines?: Readonly<Record<string, string>>
  readonly license?: string
  readonly keywords?: ReadonlyArray<string>
  readonly homepage?: string
  readonly bugs?: { readonly url: string }
  readonly repository?: unknown
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

const manifests: ReadonlyArray<readonly [folder: string, Manifest]> = readdirSync(packages)
  .filter((folder) => existsSync(join(packages, folder, "package.json")))
  .map((folder) => [folder, readManifest(join(packages, folder))])

const sourcesOf = (folder: string): string =>
  readdirSync(join(packages, folder, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => readFileSync(join(packages, folder, "src", path), "utf8"))
    .join("\n")

/**
 * The builder of the dashboard runs where a start has installed. Another is named so that its
 * version is ours: with a newer one, as @effect/platform-node's, pnpm finds no effect that suits
 * both.
 */
const named = [
  "@candlewick/dashboard → rolldown",
  "@candlewick/http → @effect/platform-node-shared"
]

describe("manifests", () => {
  it("name no dependency that no source imports", () => {
    const unused = manifests.flatMap(([folder, { name, dependencies = {} }]) => {
      const sources = sourcesOf(folder)
      return Object.keys(dependencies)
        .filter((dependency) => !new RegExp(`["']${dependency}(/[^"']*)?["']`).test(sources))
        .map((dependency) => `${name} → ${dependency}`)
    })
    assert.deepStrictEqual(unused, named)
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

  it("say where the sources are, and under which licence", () => {
    const license = readFileSync(join(root, "LICENSE"), "utf8")
    for (const [folder, manifest] of manifests) {
      const { bugs, homepage, keywords, license: named, repository: place } = manifest
      assert.deepStrictEqual(
        { bugs, homepage, license: named, place },
        {
          bugs: { url: `${repository}/issues` },
          homepage: `${repository}/tree/main/packages/${folder}#readme`,
          license: "Apache-2.0",
          place: { type: "git", url: `git+${repository}.git`, directory: `packages/${folder}` }
        }
      )
      assert.isAbove(keywords?.length ?? 0, 3, `keywords of ${folder}`)
      // A tarball holds what is in the package's own folder, and the licence asks to come along.
      assert.strictEqual(readFileSync(join(packages, folder, "LICENSE"), "utf8"), license, folder)
    }
  })

  it("share the effect of their host, and one version of it here", () => {
    for (const [, { name, dependencies, devDependencies, peerDependencies }] of manifests) {
      assert.notProperty(dependencies ?? {}, "effect", name)
      // Where development named one as well, a start without these would leave it out.
      assert.notProperty(devDependencies ?? {}, "effect", name)
      assert.oneOf(peerDependencies?.["effect"], [undefined, ">=4.1.0 <4.2.0"], name)
    }
    const lock = readFileSync(join(root, "pnpm-lock.yaml"), "utf8")
    const versions = [...lock.matchAll(/^  effect@([^:(]+):$/gm)].map(([, version]) => version)
    assert.deepStrictEqual(versions, ["4.1.0"])
  })

  it("ask for the Node that the release is tried on", () => {
    const asked = new Set(manifests.map(([, { engines }]) => engines?.["node"]))
    assert.deepStrictEqual([...asked], [">=22.19.0"])
  })
})
