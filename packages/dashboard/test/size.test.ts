/**
 * The files that a browser has to load.
 */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { buildIfChanged, builtFiles } from "../build.ts"

const kilobyte = 1_000

describe("the built dashboard", () => {
  beforeAll(() => buildIfChanged())

  it("has 250 kB in all when it is packed", async () => {
    const files = await builtFiles()
    assert.isAbove(files.length, 5)
    const all = files.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0)
    assert.isAtMost(all, 250 * kilobyte, JSON.stringify(files, undefined, 1))
  })

  it("has 40 kB before the first page, without charts", async () => {
    const files = await builtFiles()
    const first = files.filter(({ name }) => /^index|\/(main|style)-/.test(name))
    assert.lengthOf(first, 3)
    const bytes = first.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0)
    assert.isAtMost(bytes, 40 * kilobyte)
  })
})
