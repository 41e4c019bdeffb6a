/**
 * Runs the examples against a server of their own and compares what they print with their last
 * comment.
 *
 *   node scripts/examples.ts [name …]
 */
import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
/** The key of the server that examples and benchmarks run against. */
export const apiKey = "an-example-key-0123456789abcdef0123456789"

/** A port that was free a moment ago. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() =>
        resolve(typeof address === "object" && address !== null ? address.port : 0)
      )
    })
  })

/** Starts the server on this port and waits until it is ready. */
export const startServer = async (
  port: number,
  more: Readonly<Record<string, string>> = {},
  script = join(root, "packages/http/src/main/serve.ts"),
  node = process.execPath
): Promise<ChildProcess> => {
  const server = spawn(node, [script], {
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      ...process.env,
      PORT: String(port),
      CANDLEWICK_API_KEY: apiKey,
      CANDLEWICK_DATA_DIR: ":memory:",
      CANDLEWICK_REPLAY_RATE: "500",
      CANDLEWICK_WEBHOOK_ALLOW_CIDRS: "127.0.0.1/32",
      CANDLEWICK_WEBHOOK_ALLOW_HTTP: "true",
      ...more
    }
  })
  for (let attempt = 0; attempt < 3_000; attempt++) {
    if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`)
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      (answer) => answer.ok,
      () => false
    )
    if (isReady) return server
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  server.kill()
  throw new Error("the server was not ready after 300 s")
}

/** Ends the server and waits for it. */
export const stopServer = (server: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    server.once("exit", (code) => resolve(code))
    server.kill("SIGTERM")
  })

/** The numbered examples, in the order of a reader's week. */
export const exampleNames: ReadonlyArray<string> = readdirSync(join(root, "examples"))
  .filter((name) => /^\d\d-.*\.ts$/.test(name))
  .map((name) => name.replace(/\.ts$/, ""))
  .toSorted()

/** The output that an example claims. */
export const expectedOutput = async (name: string): Promise<string> => {
  const source = await readFile(join(root, "examples", `${name}.ts`), "utf8")
  const [, block] = source.split("\n// Output:\n")
  if (block === undefined) throw new Error(`${name} has no Output block`)
  return block
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/^\/\/ ?/, ""))
    .join("\n")
}

/** The output of an example. */
export const runExample = (
  name: string,
  port: number,
  folder = join(root, "examples"),
  node = process.execPath
): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(node, [join(folder, `${name}.ts`)], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, BASE_URL: `http://127.0.0.1:${port}`, API_KEY: apiKey }
    })
    let printed = ""
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString()
    })
    child.once("exit", (code) =>
      code === 0 ? resolve(printed.trimEnd()) : reject(new Error(`${name} ended with ${code}`))
    )
  })

const main = async (names: ReadonlyArray<string>): Promise<void> => {
  const port = await freePort()
  const server = await startServer(port)
  let failed = 0
  try {
    for (const name of names) {
      const [wanted, seen] = [await expectedOutput(name), await runExample(name, port)]
      if (seen === wanted) console.log(`ok    ${name}`)
      else {
        failed++
        console.error(`FAIL  ${name}\n--- wanted\n${wanted}\n--- printed\n${seen}`)
      }
    }
  } finally {
    await stopServer(server)
  }
  if (failed > 0) process.exitCode = 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const named = process.argv.slice(2)
  await main(named.length > 0 ? named : exampleNames)
}
