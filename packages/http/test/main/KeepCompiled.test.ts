import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { compiledFolder } from "../../src/main/keepCompiled.ts"

describe("the compiled code of a server", () => {
  it("lies in the folder of its modules, be it a package or a workspace", () => {
    const installed = join(
      "/app/node_modules/.pnpm/one/node_modules/@candlewick/http/dist/main/a.js"
    )
    assert.strictEqual(compiledFolder(installed), join("/app/node_modules/.cache/candlewick"))
    const source = join("/repo/packages/http/src/main/a.ts")
    const folder = join("/repo/packages/http/node_modules/.cache/candlewick")
    assert.strictEqual(compiledFolder(source), folder)
  })

  it("is kept once a server asks for it", () => {
    const file = new URL("../../src/main/keepCompiled.ts", import.meta.url)
    const program = `import { getCompileCacheDir } from "node:module"
      import { keepCompiled } from ${JSON.stringify(file.href)}
      keepCompiled()
      console.log(getCompileCacheDir())`
    const { NODE_COMPILE_CACHE: _, NODE_DISABLE_COMPILE_CACHE: __, ...env } = process.env
    const told = execFileSync(process.execPath, ["--input-type=module", "--eval", program], { env })
    assert.include(told.toString("utf8"), join("node_modules", ".cache", "candlewick"))
  })
})
