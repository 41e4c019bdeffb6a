/**
 * The real server in a process of its own, to be killed.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createServer } from "node:net"
import { fileURLToPath } from "node:url"

export const apiKey = "crash-test-key-crash-test-key-crash-test-key"

/** The file that the server begins with. */
export const script = fileURLToPath(
  new URL("../../packages/http/src/main/serve.ts", import.meta.url)
)

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      probe.close(() => resolve(port))
    })
  })

export interface ServerProcess {
  readonly url: string
  readonly child: ChildProcess
  /** Whether it ended by itself, and what it said last. */
  readonly ended: () => string | null
  /** Waits until it is ready; false where it ended before. */
  readonly ready: (withinMs: number) => Promise<boolean>
  readonly kill: (signal: "SIGKILL" | "SIGTERM") => Promise<void>
}

/** Starts the server on a directory or, where one is named, a database. */
export const startServer = async (
  directory: string,
  environment: Readonly<Record<string, string>> = {}
): Promise<ServerProcess> => {
  const port = await freePort()
  const { DATABASE_URL: _database, ...inherited } = process.env
  const child = spawn(process.execPath, [script], {
    env: {
      ...inherited,
      PORT: String(port),
      HOST: "127.0.0.1",
      CANDLEWICK_API_KEY: apiKey,
      CANDLEWICK_DATA_DIR: directory,
      CANDLEWICK_WORKERS: "1",
      CANDLEWICK_REPLAY_RATE: "100",
      CANDLEWICK_WEBHOOK_ALLOW_HTTP: "true",
      CANDLEWICK_WEBHOOK_ALLOW_CIDRS: "127.0.0.1/32",
      ...environment
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let said = ""
  const hear = (chunk: Buffer): void => {
    said = (said + chunk.toString("utf8")).slice(-8_000)
  }
  child.stdout.on("data", hear)
  child.stderr.on("data", hear)
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve())
  })
  const life = { isOver: false }
  void exited.then(() => {
    life.isOver = true
  })
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    child,
    ended: () => (life.isOver ? said : null),
    ready: async (withinMs) => {
      const untilMs = performance.now() + withinMs
      while (!life.isOver && performance.now() < untilMs) {
        const headers = { authorization: `Bearer ${apiKey}` }
        const response = await fetch(`${url}/readyz`, { headers }).catch(() => null)
        if (response?.status === 200) return true
        await sleep(40)
      }
      if (!life.isOver) throw new Error(`the server is not ready after ${withinMs} ms: ${said}`)
      return false
    },
    kill: async (signal) => {
      child.kill(signal)
      await exited
    }
  }
}
