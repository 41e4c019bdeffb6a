/**
 * How many requests a second the API answers, beside a bare `node:http` handler that answers the
 * same bytes, in the same run.
 *
 * Either server has a process of its own, the API's on memory and without rate limits. The answers
 * are compared before anything is timed, and the two take turns.
 *
 *   npm run bench:api -- [seconds a turn] [turns]
 */
import autocannon from "autocannon"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import { Accounts } from "../packages/core/src/index.ts"
import { serve } from "../packages/http/src/index.ts"
import { servicesOf } from "../packages/http/src/main/services.ts"
import { readSettings } from "../packages/http/src/main/settings.ts"
import { crossing } from "./crossing.ts"

const apiKey = "a-key-for-benchmarks-of-this-machine"
const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" }
const [part, ...given] = process.argv.slice(2)
const strategyPath = /^\/api\/v1\/mix\/strategies\/(str_\w+)$/

/** The server of the product, without limits on how often one may ask. */
const serveApi = (): void => {
  const most = 1e9
  const rates = { reads: most, writes: most, runs: most, anonymous: most }
  const accessLog = { write: () => undefined }
  const program = Effect.gen(function* () {
    const accounts = yield* Accounts
    yield* accounts.ensureAdmin(apiKey)
    const tell = Effect.map(HttpServer.HttpServer, ({ address }) =>
      process.send!("port" in address ? address.port : 0)
    )
    const server = serve({ host: "127.0.0.1", port: 0, rates, accessLog })
    return yield* Layer.launch(Layer.effectDiscard(tell).pipe(Layer.provide(server)))
  })
  const settings = readSettings({ CANDLEWICK_DATA_DIR: ":memory:" })
  Effect.runFork(Effect.provide(program, servicesOf(settings)))
}

/** The answer of a bare Node server that only finds the record and sends it. */
const serveBare = (): void => {
  const records = new Map<string, string>()
  process.on("message", ({ id, text }: { id: string; text: string }) => records.set(id, text))
  const server = createServer((request, response) => {
    const id = strategyPath.exec(request.url ?? "")?.[1] ?? ""
    const isOwner = request.headers.authorization === headers.authorization
    const text = isOwner ? records.get(id) : undefined
    response.writeHead(text === undefined ? 404 : 200, { "content-type": "application/json" })
    response.end(text === undefined ? "{}" : JSON.stringify(JSON.parse(text)))
  })
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    process.send!(typeof address === "object" ? address?.port : 0)
  })
}

const start = async (name: string): Promise<{ process: ChildProcess; url: string }> => {
  const child = fork(import.meta.filename, [name], {
    stdio: ["ignore", "ignore", "inherit", "ipc"]
  })
  const [port] = (await once(child, "message")) as [number]
  return { process: child, url: `http://127.0.0.1:${port}` }
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1]!

const measure = async (): Promise<void> => {
  const [seconds = 5, turns = 5] = [part, ...given].filter((text) => text !== undefined).map(Number)
  const [api, bare] = [await start("api"), await start("bare")]
  try {
    const written = await fetch(`${api.url}/api/v1/mix/strategies`, {
      method: "POST",
      headers,
      body: JSON.stringify({ name: "crossing", definition: crossing("BTC/USD", "1d") })
    })
    const { id } = (await written.json()) as { id: string }
    const path = `/api/v1/mix/strategies/${id}`
    const text = await (await fetch(api.url + path, { headers })).text()
    bare.process.send({ id, text })
    const other = await (await fetch(bare.url + path, { headers })).text()
    if (other !== text) throw new Error(`the servers differ:\n${text}\n${other}`)
    const rate = async (url: string): Promise<number> => {
      const { errors, non2xx, requests } = await autocannon({
        url: url + path,
        headers,
        connections: 32,
        duration: seconds
      })
      if (errors > 0 || non2xx > 0) throw new Error(`${errors} errors, ${non2xx} refusals`)
      return requests.average
    }
    const [ours, theirs]: [Array<number>, Array<number>] = [[], []]
    for (let turn = 0; turn <= turns; turn++) {
      const [one, another] = [await rate(api.url), await rate(bare.url)]
      // The first turn warms both up.
      if (turn > 0) ours.push(one)
      if (turn > 0) theirs.push(another)
    }
    const ratios = ours.map((one, turn) => one / theirs[turn]!)
    console.log(`GET a strategy, ${text.length} bytes, 32 connections, medians of ${turns} turns`)
    console.log(`API        ${Math.round(median(ours))} requests/s`)
    console.log(`node:http  ${Math.round(median(theirs))} requests/s`)
    console.log(`ratio      ${median(ratios).toFixed(2)}`)
  } finally {
    api.process.kill()
    bare.process.kill()
  }
}

if (part === "api") serveApi()
else if (part === "bare") serveBare()
else await measure()
