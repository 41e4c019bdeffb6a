/**
 * Half of the time of a short command is to load its modules.
 */
import { assert, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { script } from "./commandLine.ts"

/** Writes the name of each module that a process loads, and at its end where it keeps compiled code. */
const tell = `
  import { getCompileCacheDir, registerHooks } from "node:module"
  const say = (line) => process.stderr.write(line + "\\n")
  registerHooks({ load: (url, context, next) => (say(url), next(url, context)) })
  process.on("exit", () => say("compiled in " + getCompileCacheDir()))`

const telling = ["--import", `data:text/javascript,${encodeURIComponent(tell)}`]

it("loads no server for a command that needs none, and keeps what was compiled", async () => {
  const { NODE_COMPILE_CACHE: _, NODE_DISABLE_COMPILE_CACHE: __, ...env } = process.env
  const args = [...telling, script, "bots", "list", "--help"]
  const { stderr } = await promisify(execFile)(process.execPath, args, { env })
  assert.include(stderr, "/cli/src/commands/bots.ts")
  assert.notMatch(stderr, /packages\/(?:store-\w+|http\/src\/(?:server|mcp))\/|undici/)
  assert.include(stderr, join("node_modules", ".cache", "candlewick"))
})
