/**
 * Builds of the dashboard at once: each leaves a whole site, and nothing beside it.
 */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { build } from "../build.ts"

describe("builds of the dashboard at once", () => {
  let base = ""

  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), "candlewick-site-"))
  })

  afterAll(() => rm(base, { recursive: true, force: true }))

  const isWhole = async (folder: string): Promise<void> => {
    const page = await readFile(join(folder, "index.html"), "utf8")
    const named = [...page.matchAll(/assets\/[\w.-]+/g)].map(([name]) => name)
    assert.isAtLeast(named.length, 3)
    for (const name of named) await readFile(join(folder, name))
    assert.deepStrictEqual(await readdir(base), ["site"])
  }

  it("leave the same files once, in place of older ones", async () => {
    const folder = join(base, "site")
    await build("older", folder)
    await Promise.all(Array.from({ length: 4 }, () => build("newer", folder)))
    assert.strictEqual(await readFile(join(folder, ".stamp"), "utf8"), "newer")
    await isWhole(folder)
  })

  it("leave the files of one of them where each has others", async () => {
    const folder = join(base, "site")
    const stamps = ["a", "b", "c", "d"]
    await Promise.all(stamps.map((stamp) => build(stamp, folder)))
    assert.include(stamps, await readFile(join(folder, ".stamp"), "utf8"))
    await isWhole(folder)
  })
})
