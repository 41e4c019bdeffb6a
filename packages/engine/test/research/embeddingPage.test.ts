/**
 * The example of docs/embedding.md for orders in code prints what the page says.
 */
import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import * as research from "../../src/research/index.ts"

const page = readFileSync("docs/embedding.md", "utf8")

it("the example of orders in code prints what its page says", () => {
  const [, source, printed] = /```js\n(.*?)```\n\nprints\n\n```text output\n(.*?)```/s.exec(page)!
  const lines: Array<string> = []
  const names = { ...research, readFileSync, console: { log: (line: string) => lines.push(line) } }
  const body = source!.replaceAll(/^import .*$/gmu, "")
  // oxlint-disable-next-line typescript/no-implied-eval -- the page imports by the names of packages
  const run = new Function(...Object.keys(names), body)
  run(...Object.values(names))
  assert.strictEqual(`${lines.join("\n")}\n`, printed)
})
