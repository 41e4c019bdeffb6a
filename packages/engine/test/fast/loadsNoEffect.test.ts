/**
 * Loading the engine loads nothing else: not Effect, by no detour, and nothing of Node.
 */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, it } from "@effect/vitest"

const run = promisify(execFile)
const engine = new URL("../../src/fast/index.ts", import.meta.url).href

/** Says which modules were loaded, a line each. */
const hooks = `import { registerHooks } from "node:module"
registerHooks({
  load: (url, context, next) => {
    console.log(url)
    return next(url, context)
  }
})`

it("loads no module that is not the library's own", async () => {
  const { stdout } = await run(process.execPath, [
    "--import",
    `data:text/javascript,${encodeURIComponent(hooks)}`,
    fileURLToPath(engine)
  ])
  const loaded = stdout.trim().split("\n")
  const source = new URL("../../src/", import.meta.url).href
  assert.isAbove(loaded.length, 50)
  assert.deepStrictEqual(
    loaded.filter((url) => !url.startsWith(source)),
    []
  )
})
