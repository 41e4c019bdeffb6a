/**
 * `npm run help` knows every script, and no other.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { groups } from "../scripts/help.js"
import { root } from "../scripts/tests/files.ts"

it("has one line for each script", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const told = Object.values(groups).flatMap((group) => Object.entries(group))
  assert.deepStrictEqual(told.map(([name]) => name).toSorted(), Object.keys(scripts).toSorted())
  for (const [name, line] of told) assert.match(line, /^\S.{5,75}$/, name)
})
