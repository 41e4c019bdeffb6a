/**
 * Deliveries a second to a receiver on this machine, how long an event takes to its first byte, and
 * what an endpoint that hangs, or whose name server is silent, costs the others: those of other
 * accounts, and the one of its own.
 *
 *   node bench/webhooks.ts [memory|pglite|postgres] [events]
 *
 * The receiver runs in a thread of its own and notes each id; it is done when every event has come
 * to every endpoint, with a signature that holds. `postgres` takes DATABASE_URL, or else a server of
 * the tests that does not wait for the disk.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isMainThread, parentPort, Worker } from "node:worker_threads"
import {
  Events,
  Ids,
  makeEvent,
  type StorePorts,
  toTimestamp,
  Transactor,
  WebhookEndpoints
} from "../packages/core/src/index.ts"
import { MemoryStore } from "../packages/store-memory/src/index.ts"
import { Pglite, Postgres, PostgresStore } from "../packages/store-postgres/src/index.ts"
import { startPostgres } from "../packages/store-postgres/test/databases/startPostgres.ts"
import { Webhooks } from "../packages/webhooks/src/index.ts"
import { nameServer } from "../packages/webhooks/test/nameServer.ts"
import { verifyNotification } from "../packages/webhooks/src/verify.ts"
import { Effect, Layer } from "effect"

interface Seen {
  readonly id: string
  readonly path: string
  /** Epoch milliseconds, with fractions. */
  readonly atMs: number
}

const nowMs = (): number => performance.timeOrigin + performance.now()

const receive = (): void => {
  const port = parentPort!
  const secrets = new Map<string, string>()
  let seen: Array<Seen> = []
  let wrongCount = 0
  port.on("message", ([path, secret]: readonly [string, string]) => secrets.set(path, secret))
  const server = createServer((request, response) => {
    const atMs = nowMs()
    const path = request.url ?? ""
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      if (path.startsWith("/hang")) return
      try {
        const rawBody = Buffer.concat(chunks)
        verifyNotification({ secret: secrets.get(path)!, headers: request.headers, rawBody })
      } catch {
        wrongCount++
      }
      seen.push({ id: String(request.headers["webhook-id"]), path, atMs })
      response.writeHead(204).end()
    })
  })
  setInterval(() => {
    if (seen.length > 0) port.postMessage({ seen, wrongCount })
    seen = []
  }, 20)
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    port.postMessage({ port: typeof address === "object" ? address?.port : 0 })
  })
}

const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}

/** Everything that came, and from when it was sent. */
class Record {
  readonly sentAtMs = new Map<string, number>()
  readonly seen = new Set<string>()
  readonly waitsMs: Array<number> = []
  /** The same to each endpoint. */
  readonly waitsByPath = new Map<string, Array<number>>()
  repeatedCount = 0
  wrongCount = 0
  lastAtMs = 0

  note({ atMs, id, path }: Seen): void {
    if (this.seen.has(`${path} ${id}`)) this.repeatedCount++
    else {
      const waitMs = atMs - this.sentAtMs.get(id)!
      this.waitsMs.push(waitMs)
      const ofPath = this.waitsByPath.get(path) ?? []
      ofPath.push(waitMs)
      this.waitsByPath.set(path, ofPath)
    }
    this.seen.add(`${path} ${id}`)
    this.lastAtMs = Math.max(this.lastAtMs, atMs)
  }
}

const accountCount = 16

const main = async (storeName: string, eventCount: number): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "candlewick-bench-"))
  const databaseUrl = process.env["DATABASE_URL"]
  const isOwn = storeName === "postgres" && databaseUrl === undefined
  const server = isOwn ? await startPostgres(18) : null
  const stores = {
    memory: MemoryStore.layer,
    pglite: PostgresStore.layer.pipe(
      Layer.provide(Pglite.layer({ directory: join(folder, "data") }))
    ),
    postgres: PostgresStore.layer.pipe(
      Layer.provide(Postgres.layer({ url: server?.url ?? databaseUrl ?? "" }))
    )
  } as const
  const store: Layer.Layer<StorePorts, unknown> = stores[storeName as keyof typeof stores]
  const appWith = (nameServers: ReadonlyArray<string>) => {
    // The network, which nothing here is in, opens any port to names.
    const allowCidrs = ["127.0.0.1/32", "10.99.0.0/16"]
    return Layer.mergeAll(Events.layer, WebhookEndpoints.layer).pipe(
      Layer.provideMerge(Webhooks.layerWith({ allowCidrs, allowHttp: true, nameServers })),
      Layer.provideMerge(Ids.layer),
      Layer.provideMerge(store)
    )
  }
  const worker = new Worker(new URL(import.meta.url))
  let record = new Record()
  const port = await new Promise<number>((resolve) => {
    worker.on("message", (message) => {
      if ("port" in message) return resolve(message.port)
      record.wrongCount = message.wrongCount
      for (const one of message.seen) record.note(one)
    })
  })

  const program = Effect.gen(function* () {
    const events = yield* Events
    const ids = yield* Ids
    const { transact } = yield* Transactor
    const endpoints = yield* WebhookEndpoints
    const accounts = yield* Effect.forEach(Array.from({ length: accountCount }), () =>
      ids.make("account")
    )
    const register = Effect.fnUntraced(function* (
      accountId: string,
      path: string,
      name = "healthy"
    ) {
      const { secret } = yield* endpoints.register(accountId, {
        url: `http://${name}.example.com:${port}${path}`,
        events: ["trade.executed"],
        max_concurrency: 4,
        rate_per_second: 10_000
      })
      worker.postMessage([path, secret])
    })
    for (const [index, accountId] of accounts.entries()) yield* register(accountId, `/${index}`)

    // Over all batches, so that each account gets as many as any other, however small they are.
    let announced = 0
    const announce = Effect.fnUntraced(function* (count: number) {
      const made = yield* Effect.forEach(Array.from({ length: count }), () =>
        Effect.map(ids.make("event"), (id) =>
          makeEvent(
            {
              id,
              account_id: accounts[announced++ % accountCount]!,
              event: "trade.executed",
              timestamp: toTimestamp(nowMs())
            },
            { trade_id: id.replace("msg", "trd"), symbol: "BTC/USD", side: "buy", amount: 1 }
          )
        )
      )
      for (const { id } of made) record.sentAtMs.set(id, nowMs())
      yield* transact(Effect.forEach(made, events.announce, { discard: true }))
    })
    const allSeen = (count: number) =>
      Effect.gen(function* () {
        while (record.seen.size < count) yield* Effect.sleep(20)
      }).pipe(Effect.timeout("120 seconds"))
    const check = (count: number) => {
      if (record.seen.size !== count || record.wrongCount > 0) {
        throw new Error(`${record.seen.size} of ${count} came, ${record.wrongCount} unsigned`)
      }
    }

    /** Events at a pace, a few every five milliseconds. */
    const paced = Effect.fnUntraced(function* (perSecond: number, seconds: number) {
      record = new Record()
      const began = nowMs()
      let count = 0
      while (nowMs() - began < seconds * 1000) {
        const wanted = Math.floor(((nowMs() - began) / 1000) * perSecond)
        if (wanted > count) yield* announce(wanted - count)
        count = Math.max(count, wanted)
        yield* Effect.sleep(5)
      }
      yield* allSeen(count)
      check(count)
      const { repeatedCount, waitsByPath, waitsMs } = record
      return { count, waitsMs, waitsByPath, repeatedCount }
    })
    type Pace = Effect.Success<ReturnType<typeof paced>>
    const show = (title: string, { count, waitsMs }: Pick<Pace, "count" | "waitsMs">) =>
      console.log(
        `${title}: ${count} events, to the first byte p50 ${quantile(waitsMs, 0.5).toFixed(1)} ms, ` +
          `p95 ${quantile(waitsMs, 0.95).toFixed(1)} ms, p99 ${quantile(waitsMs, 0.99).toFixed(1)} ms`
      )

    yield* announce(200)
    yield* allSeen(200)
    record = new Record()
    const cpu = process.threadCpuUsage()
    const began = nowMs()
    for (let sent = 0; sent < eventCount; sent += 50) yield* announce(50)
    yield* allSeen(eventCount)
    check(eventCount)
    const spent = process.threadCpuUsage(cpu)
    const cpuMs = (spent.user + spent.system) / 1000
    const wallMs = record.lastAtMs - began
    console.log(
      `${storeName}: ${eventCount} deliveries in ${(wallMs / 1000).toFixed(2)} s, ` +
        `${Math.round((eventCount / wallMs) * 1000)} a second; ` +
        `${Math.round((eventCount / cpuMs) * 1000)} a second of one core's time; ` +
        `${record.repeatedCount} came twice, all ids seen, all signatures hold`
    )
    const pace = storeName === "memory" ? 1_000 : 200
    show(`${pace} events a second`, yield* paced(pace, 8))
    const calm = yield* paced(pace / 2, 8)
    show(`${pace / 2} events a second, all healthy`, calm)
    for (const accountId of accounts.slice(0, 4)) yield* register(accountId, "/hang/1")
    const hung = yield* paced(pace / 2, 8)
    show(`${pace / 2} events a second, four endpoints hang`, hung)
    const ratio = quantile(hung.waitsMs, 0.99) / quantile(calm.waitsMs, 0.99)
    console.log(`p99 of the healthy while others hang: ${ratio.toFixed(2)} of their baseline`)
    for (const accountId of accounts.slice(4, 8)) yield* register(accountId, "/hang/2", "silent")
    const silent = yield* paced(pace / 2, 8)
    show(`${pace / 2} events a second, and four name servers are silent`, silent)
    const share = quantile(silent.waitsMs, 0.99) / quantile(calm.waitsMs, 0.99)
    console.log(
      `p99 of the healthy with silent name servers: ${share.toFixed(2)} of their baseline`
    )
    const [shared, path] = [accounts[8]!, "/8"]
    const toShared = ({ waitsByPath }: Pace) => {
      const waitsMs = waitsByPath.get(path) ?? []
      return { count: waitsMs.length, waitsMs }
    }
    show("all healthy, to one endpoint alone", toShared(calm))
    for (let index = 0; index < 4; index++) yield* register(shared, `/hang/8/${index}`)
    const within = toShared(yield* paced(pace / 2, 8))
    show("to that endpoint, while four others of its account hang", within)
    const own = quantile(within.waitsMs, 0.99) / quantile(toShared(calm).waitsMs, 0.99)
    console.log(
      `p99 of a healthy endpoint while others of its account hang: ${own.toFixed(2)} of its baseline`
    )
  })
  // It never answers about any other name.
  const names = nameServer({ "healthy.example.com": ["127.0.0.1"] })
  const all = Effect.flatMap(names, ({ address }) => Effect.provide(program, appWith([address])))
  await Effect.runPromise(Effect.scoped(all).pipe(Effect.timeout("5 minutes")))
  await worker.terminate()
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
}

if (isMainThread) {
  const [storeName = "memory", count = "20000"] = process.argv.slice(2)
  await main(storeName, Number(count))
} else receive()
