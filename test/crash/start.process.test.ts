/**
 * A server that can't start says all that is wrong at once, and leaves nothing behind.
 */
import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startServer } from "./serverProcess.ts"

/** Starts a server on a directory that is not there, and gives what it said when it had ended. */
const startInVain = async (environment: Readonly<Record<string, string>>): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "candlewick-start-"))
  const server = await startServer(join(folder, "data"), environment)
  try {
    if (server.ended() === null) await once(server.child, "close")
    assert.strictEqual(server.child.exitCode, 1)
    assert.deepStrictEqual(await readdir(folder), [], "it made a database in vain")
    return String(server.ended())
  } finally {
    await server.kill("SIGKILL")
    await rm(folder, { recursive: true, force: true })
  }
}

describe("a server that can't start", () => {
  it("finds that its port is taken before it makes a database", async () => {
    const other = createServer().listen(0, "127.0.0.1")
    await once(other, "listening")
    const address = other.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    try {
      const said = await startInVain({ PORT: String(port) })
      assert.include(said, `Candlewick ends: PORT ${port} is in use on 127.0.0.1`)
    } finally {
      other.close()
    }
  })

  it("names every variable that can't be", async () => {
    const wrong = { PORT: "seventy", CANDLEWICK_WORKERS: "0", CANDLEWICK_KEY_LOST: "perhaps" }
    const said = await startInVain(wrong)
    for (const variable of Object.keys(wrong)) assert.include(said, `${variable} must be `)
  })
})
