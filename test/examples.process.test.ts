/**
 * The examples run, against a real server, and print what they say they print.
 */
import { type ChildProcess, execFile } from "node:child_process"
import { readFile, rm, writeFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import {
  expectedOutput,
  freePort,
  runExample,
  startServer,
  stopServer
} from "../scripts/examples.ts"

describe("examples", () => {
  let port = 0
  let server: ChildProcess

  beforeAll(async () => {
    port = await freePort()
    server = await startServer(port)
  })

  afterAll(async () => {
    assert.strictEqual(await stopServer(server), 0, "the server ends by itself when it is asked to")
  })

  for (const name of ["embed", "research", "venue", "live", "quickstart"]) {
    it(`${name} prints what it says`, { timeout: 180_000 }, async () => {
      const [wanted, seen] = [await expectedOutput(name), await runExample(name, port)]
      assert.strictEqual(seen, wanted)
    })
  }
})

it("the README's program embeds the library, on candles that are real", async () => {
  const text = await readFile(new URL("../README.md", import.meta.url), "utf8")
  const [, part = ""] = text.split("## Embed it\n")
  const [, program = ""] = /```ts\n(.*?)```/s.exec(part) ?? []
  assert.include(program, "candles.importFile(")
  const told = program.replace("console.log(", "console.log(strategy.synthetic, strategy.symbols, ")
  // The packages are found from this folder.
  const file = new URL(`../examples/readme-${process.pid}.ts`, import.meta.url)
  await writeFile(file, told)
  try {
    const cwd = new URL("..", import.meta.url)
    const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(file)], { cwd })
    assert.match(stdout, /^false \[ 'BTC\/USD' \] (deployable|caution|no_edge_found) -?\d/)
  } finally {
    await rm(file)
  }
}, 120_000)
