/**
 * The list of pages, and that none is left out of the walks.
 */
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { pageAt, pages } from "../src/pages/pages.ts"

describe("pages", () => {
  it("have addresses and letters of their own, and stand under one in the navigation", () => {
    const addresses = pages.map(({ path, rest }) => `${path} ${rest}`)
    assert.strictEqual(new Set(addresses).size, pages.length)
    const letters = pages.flatMap(({ letter }) => letter ?? [])
    assert.strictEqual(new Set(letters).size, letters.length)
    for (const { letter, path, under } of pages) {
      const place = under ?? path
      const shown = pages.find((page) => page.path === place && page.letter !== undefined)
      assert.isDefined(letter ?? shown, path)
    }
    assert.isUndefined(pageAt(["nowhere"]))
    assert.isUndefined(pageAt(["account", "more"]))
  })

  it("are each walked in a browser", async () => {
    const names = await readdir(import.meta.dirname)
    const walks = names.filter((name) => name.endsWith(".process.test.ts"))
    const texts = await Promise.all(
      walks.map((name) => readFile(join(import.meta.dirname, name), "utf8"))
    )
    for (const { path, rest } of pages) {
      const gone = new RegExp(`walk\\.go\\(["\`]${path}${rest === 0 ? '["?]' : "/"}`)
      assert.isTrue(
        texts.some((text) => gone.test(text)),
        `no walk goes to ${path}`
      )
    }
  })
})
