/**
 * The duties of the API to callers inside a server of another owner, with any framework.
 *
 * The test of the workspace and the check of the published packages ask the same of each host.
 */
import { strict as assert } from "node:assert"
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"

/** A host that runs, with the API below `/candlewick`. */
export interface RunningHost {
  readonly process: ChildProcess
  readonly url: string
}

const key = "a-host-key-0123456789abcdef0123456789abcdef"

/** Starts a host, and waits until it says where it listens. */
export const startHost = (
  node: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly port?: number } = {}
): Promise<RunningHost> =>
  new Promise((resolve, reject) => {
    const child = spawn(node, args, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: { ...process.env, CANDLEWICK_API_KEY: key, PORT: String(options.port ?? 0) },
      stdio: ["ignore", "pipe", "inherit"]
    })
    child.once("exit", (code) => reject(new Error(`${args.join(" ")} ended with ${code}`)))
    createInterface(child.stdout).on("line", (line) => {
      const port = /listening on (\d+)|http:\/\/(?:localhost|127\.0\.0\.1):(\d+)/.exec(line)
      if (port === null) return
      resolve({ process: child, url: `http://127.0.0.1:${port[1] ?? port[2]}` })
    })
  })

const asOwner = { authorization: `Bearer ${key}` }
const json = { ...asOwner, "content-type": "application/json" }

interface Told {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const ask = async (url: string, init: RequestInit = {}): Promise<Told> => {
  const answer = await fetch(url, { redirect: "manual", ...init })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

const checkProblem = ({ headers, status, text }: Told, wanted: number, path: string): void => {
  assert.equal(status, wanted, text)
  assert.match(headers.get("content-type") ?? "", /^application\/problem\+json/)
  assert.equal(JSON.parse(text).instance, path)
}

const rows = [
  "time,open,high,low,close,volume",
  "2024-01-01T00:00:00Z,1,2,0.5,1.5,10",
  "2024-01-01T01:00:00Z,1.5,2,1,1.2,10"
].join("\n")

/** Bodies of both kinds arrive whole, and paths of answers are those of the host. */
const checkBodies = async (api: string): Promise<void> => {
  const named = { name: "kept", scopes: ["bots:read"] }
  const made = await ask(`${api}/v1/account/keys`, {
    method: "POST",
    headers: json,
    body: JSON.stringify(named)
  })
  assert.equal(made.status, 201, made.text)
  assert.match(made.headers.get("location") ?? "", /^\/candlewick\/v1\/account\/keys\/key_/)
  const imported = await ask(`${api}/v1/candles?symbol=ABC%2FUSD&timeframe=1h`, {
    method: "POST",
    headers: { ...asOwner, "content-type": "text/csv" },
    body: rows
  })
  assert.equal(imported.status, 200, imported.text)
  assert.equal(JSON.parse(imported.text).candle_count, 2)
  const body = "{"
  const malformed = await ask(`${api}/v1/bots`, { method: "POST", headers: json, body })
  checkProblem(malformed, 400, "/candlewick/v1/bots")
}

/** The dashboard's page leads to its files, with and without a slash at its end. */
const checkPages = async (api: string): Promise<void> => {
  const page = await ask(api, { headers: { accept: "text/html" } })
  assert.equal(page.status, 200, page.text)
  assert.match(page.headers.get("content-security-policy") ?? "", /script-src 'self'/)
  const [, script] = /src="(\/candlewick\/assets\/main-[^"]+)"/.exec(page.text) ?? []
  assert.ok(script !== undefined, page.text)
  assert.equal((await ask(new URL(script, api).href)).status, 200)
  const docs = await ask(`${api}/docs`)
  assert.match(docs.headers.get("content-type") ?? "", /^text\/html/)
}

/** A stream comes as it is written, and ends with the host. */
const checkStreamAndEnd = async (
  { process: child, url }: RunningHost,
  exitCode: number
): Promise<void> => {
  const stream = await fetch(`${url}/candlewick/v1/events`, { headers: asOwner })
  assert.equal(stream.status, 200)
  assert.match(stream.headers.get("content-type") ?? "", /^text\/event-stream/)
  const ended = stream.text()
  const exit = new Promise<number | null>((resolve) => {
    child.removeAllListeners("exit").once("exit", (code) => resolve(code))
  })
  child.kill("SIGTERM")
  await ended
  assert.equal(await exit, exitCode)
}

/** Asks of a host its duties, and ends it by SIGTERM, on which it exits with this code. */
export const checkHost = async (host: RunningHost, exitCode = 0): Promise<void> => {
  try {
    const api = `${host.url}/candlewick`
    assert.deepEqual(JSON.parse((await ask(host.url)).text), { bots: [] })
    assert.equal((await ask(`${api}/healthz`)).status, 200)
    assert.equal((await ask(`${api}/v1/bots`, { headers: asOwner })).status, 200)
    checkProblem(await ask(`${api}/v1/bots`), 401, "/candlewick/v1/bots")
    checkProblem(await ask(`${api}/v1/x`, { headers: asOwner }), 404, "/candlewick/v1/x")
    await checkBodies(api)
    await checkPages(api)
    await checkStreamAndEnd(host, exitCode)
  } finally {
    host.process.kill("SIGKILL")
  }
}
