/**
 * The parts of the release check refuse what they are there to refuse.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { openRegistry, type Registry } from "../scripts/release/registry.ts"
import { checkTarball } from "../scripts/release/tarballs.ts"
import { root } from "../scripts/tests/files.ts"

const good: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({
    name: "a-package",
    version: "1.0.0",
    license: "Apache-2.0",
    repository: { type: "git", url: "git+https://example.com/a/package.git" },
    files: ["dist"],
    type: "module",
    exports: { ".": "./dist/index.js" }
  }),
  LICENSE: "Apache-2.0",
  "README.md": "# A package",
  "CHANGELOG.md": "# A package",
  "dist/index.js": "export const one = 1\n",
  "dist/index.d.ts": "export declare const one: number\n"
}

describe("the check of a tarball", () => {
  let folder: string

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "candlewick-tarball-"))
  })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** The check's findings on a tarball with these files. */
  const faultsOf = async (files: Readonly<Record<string, string>>): Promise<string> => {
    const place = mkdtempSync(join(folder, "packed-"))
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(place, "package", name)), { recursive: true })
      writeFileSync(join(place, "package", name), text)
    }
    execFileSync("tar", ["-czf", "it.tgz", "package"], { cwd: place })
    const tarball = readFileSync(join(place, "it.tgz"))
    const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` }
    return checkTarball(root, place, env, ["a-package@1.0.0", tarball]).then(
      () => "",
      (error: Error) => error.message
    )
  }

  it("takes a sound one", async () => {
    assert.strictEqual(await faultsOf(good), "")
  })

  it("names the missing files and the unwanted ones", async () => {
    const { LICENSE: _, ...unlicensed } = good
    const faults = await faultsOf({
      ...unlicensed,
      "dist/.tsbuildinfo": "{}",
      "package.json": good["package.json"]!.replace(
        '"type":"module"',
        '"type":"module","dependencies":{"another":"workspace:^"}'
      )
    })
    assert.include(faults, "it has no LICENSE")
    assert.include(faults, "it has dist/.tsbuildinfo")
    assert.include(faults, '"workspace:^", which no registry knows')
  })

  it("refuses an entry that leads nowhere", async () => {
    const faults = await faultsOf({
      ...good,
      "package.json": good["package.json"]!.replace("./dist/index.js", "./dist/gone.js")
    })
    assert.include(faults, "gone.js")
  })

  it("refuses an entry without types", async () => {
    const faults = await faultsOf({
      ...good,
      "dist/two.js": "export const two = 2\n",
      "package.json": good["package.json"]!.replace(
        '".":"./dist/index.js"',
        '".":"./dist/index.js","./two":"./dist/two.js"'
      )
    })
    assert.include(faults, "a-package/two")
  })
})

describe("the registry on loopback", () => {
  let registry: Registry

  beforeAll(async () => {
    registry = await openRegistry()
  })

  afterAll(() => registry.close())

  const bytes = Buffer.from("a tarball")
  const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`

  const publish = async (version: string, changes: { token?: string; integrity?: string } = {}) => {
    const answer = await fetch(`${registry.url}@a%2fpackage`, {
      method: "PUT",
      headers: { authorization: `Bearer ${changes.token ?? registry.token}` },
      body: JSON.stringify({
        name: "@a/package",
        versions: { [version]: { dist: { integrity: changes.integrity ?? integrity } } },
        "dist-tags": { latest: version },
        _attachments: { "it.tgz": { data: bytes.toString("base64") } }
      })
    })
    return answer.status
  }

  it("gives back what was published", async () => {
    assert.strictEqual(await publish("1.0.0"), 201)
    const told = await fetch(`${registry.url}@a/package`)
    const { versions } = (await told.json()) as {
      versions: Record<string, { dist: { tarball: string } }>
    }
    const tarball = await fetch(versions["1.0.0"]!.dist.tarball)
    assert.deepStrictEqual(Buffer.from(await tarball.arrayBuffer()), bytes)
  })

  it("refuses a version twice, a stranger, and damage", async () => {
    assert.strictEqual(await publish("2.0.0"), 201)
    assert.strictEqual(await publish("2.0.0"), 403)
    assert.strictEqual(await publish("3.0.0", { token: "another" }), 401)
    assert.strictEqual(await publish("3.0.0", { integrity: "sha512-x" }), 400)
    assert.strictEqual((await fetch(`${registry.url}@a%2fother`)).status, 404)
  })
})
