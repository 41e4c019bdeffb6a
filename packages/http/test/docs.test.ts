/**
 * The pages name operations that there are.
 */
import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"

const root = new URL("../../../", import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), "utf8")

/** Prefixes and names of parameters don't count: pages leave them out, or write `:id`. */
const essence = (method: string, path: string): string =>
  `${method} ${path.replace(/^(\/api)?(\/v1)?/u, "").replaceAll(/\{\w+\}|:\w+/gu, "{}")}`

const { paths } = JSON.parse(read("docs/openapi.json")) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}
const operations = new Set(
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => essence(method.toUpperCase(), path))
  )
)

const pages = [
  "README.md",
  "SECURITY.md",
  ...readdirSync(new URL("docs/", root))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`)
]

describe("the pages", () => {
  it("name operations that there are", () => {
    const named = pages.flatMap((page) =>
      Array.from(
        read(page).matchAll(/\b(GET|POST|PUT|PATCH|DELETE) (\/[\w/{}:.-]*[\w}])/gu),
        ([, method, path]) => ({ page, operation: essence(method!, path!) })
      )
    )
    assert.isAbove(named.length, 10)
    assert.deepStrictEqual(
      named.filter(({ operation }) => !operations.has(operation)),
      []
    )
  })
})
