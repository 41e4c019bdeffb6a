/**
 * The examples run, against a real server, and print what they say they print.
 */
import type { ChildProcess } from "node:child_process"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import {
  exampleNames,
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

  it("are eight, numbered from 01", () => {
    assert.deepStrictEqual(
      exampleNames.map((name) => name.slice(0, 2)),
      ["01", "02", "03", "04", "05", "06", "07", "08"]
    )
  })

  for (const name of exampleNames) {
    it(`${name} prints what it says`, async () => {
      const [wanted, seen] = [await expectedOutput(name), await runExample(name, port)]
      assert.strictEqual(seen, wanted)
    })
  }
})
