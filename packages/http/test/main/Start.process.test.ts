/** The start of a server: what is wrong with its variables, its port, and the lines of its log. */
import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const script = fileURLToPath(new URL("../../src/main/serve.ts", import.meta.url))

const { NODE_OPTIONS: _options, ...inherited } = process.env
const plain = Object.fromEntries(
  Object.entries(inherited).filter(([name]) => !name.startsWith("CANDLEWICK_"))
)

interface Run {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs the server; `until` ends it once it has printed something. */
const run = async (
  environment: Readonly<Record<string, string>>,
  until: (out: string) => Promise<boolean> = () => Promise.resolve(false)
): Promise<Run> => {
  const child = spawn(process.execPath, [script], { env: { ...plain, ...environment } })
  let [out, err] = ["", ""]
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString()
    void until(out).then((isEnough) => isEnough && child.kill("SIGTERM"))
  })
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()))
  const [code] = (await once(child, "close")) as [number | null]
  return { code, out, err }
}

/** Does something with the path of a directory that is not there yet. */
const withDirectory = async (work: (directory: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "candlewick-start-"))
  try {
    await work(join(folder, "data"))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe("the start of a server", () => {
  it("names all variables that can't be at once, and makes nothing", () =>
    withDirectory(async (directory) => {
      const bad = {
        PORT: "many",
        CANDLEWICK_REPLAY_RATE: "0",
        CANDLEWICK_WORKERS: "-1",
        CANDLEWICK_WEBHOOK_ALLOW_HTTP: "perhaps"
      }
      const typo = { CANDLEWICK_REPLAY_RATES: "3" }
      const { code, err, out } = await run({ CANDLEWICK_DATA_DIR: directory, ...bad, ...typo })
      assert.deepStrictEqual([code, out], [1, ""])
      const named = err
        .trim()
        .split("\n")
        .map((line) => line.split(" ")[0])
      assert.deepStrictEqual(named, [...Object.keys(bad), ...Object.keys(typo)])
      assert.isFalse(existsSync(directory))
    }))

  it("ends where its port is taken, and makes nothing", () =>
    withDirectory(async (directory) => {
      const other = createServer().listen(0, "127.0.0.1")
      await once(other, "listening")
      const { port } = other.address() as { readonly port: number }
      const { code, err } = await run({ PORT: String(port), CANDLEWICK_DATA_DIR: directory })
      other.close()
      assert.strictEqual(code, 1)
      assert.include(err, `PORT ${port} is in use on 127.0.0.1`)
      assert.isFalse(existsSync(directory))
    }))

  it("warns of names that are none of its variables, in lines like those of requests", async () => {
    let asked = false
    const answered = async (out: string): Promise<boolean> => {
      const [, url] = /ready at (\S+)/.exec(out) ?? []
      if (url === undefined || asked) return out.includes('"message":"request"')
      asked = true
      await fetch(`${url}/healthz`)
      return false
    }
    const { code, out } = await run(
      { PORT: "0", CANDLEWICK_DATA_DIR: ":memory:", CANDLEWICK_RUN_RETENTION: "3" },
      answered
    )
    assert.strictEqual(code, 0)
    const lines = out.split("\n").filter((line) => line.startsWith("{"))
    const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    for (const line of parsed) {
      assert.deepStrictEqual(Object.keys(line).slice(0, 3), ["timestamp", "level", "message"])
      assert.match(String(line["level"]), /^(?:info|warn|error)$/)
    }
    const warning =
      "CANDLEWICK_RUN_RETENTION is no variable of the server; " +
      "the nearest one is CANDLEWICK_RUN_RETENTION_DAYS"
    const kinds = parsed.map(({ level, message }) => [level, message])
    assert.deepInclude(kinds, ["warn", warning])
    assert.deepInclude(kinds, ["info", "request"])
  }, 60_000)
})
