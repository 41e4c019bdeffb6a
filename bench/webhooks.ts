/**
 * Measures deliveries a second to a receiver on this machine, and the time from an event to its
 * first byte. Measures the cost of an endpoint that hangs, or whose name server is silent, to other
 * accounts and to its own.
 *
 *   node bench/webhooks.ts [memory|pglite|postgres] [events]
 *
 * The receiver runs in a thread of its own and notes each id. It is done when every event has come
 * to every endpoint, with a signature that holds. Calm and trouble take turns, so that a machine
 * that halts for a while halts both. Each turn begins with a service of its own, so that V8 has as
 * much memory to mark in one as in another. The report adds the halts of the threads meanwhile, and
 * the p99 of the median second. `postgres` takes DATABASE_URL, or else a server of the tests that
 * does not wait for the disk.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { Socket } from "node:net"
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
import { type Halts, watchHalts } from "./halts.ts"
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
  const hanging = new Set<Socket>()
  let seen: Array<Seen> = []
  let wrongCount = 0
  port.on("message", (message: readonly [string, string] | "let go") => {
    if (message !== "let go") return secrets.set(...message)
    for (const socket of hanging) socket.destroy()
    return hanging.clear()
  })
  const server = createServer((request, response) => {
    const atMs = nowMs()
    const path = request.url ?? ""
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      if (path.startsWith("/hang")) {
        port.postMessage("hangs")
        return hanging.add(request.socket)
      }
      try {
        const rawBody = Buffer.concat(chunks)
        verifyNotification({ secret: secrets.get(path)!, headers: request.headers, rawBody })
      } catch {
        wrongCount++
      }
      seen.push({ id: String(request.headers["webhook-id"]), path, atMs })
      return response.writeHead(204).end()
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

/** How long one event took to the first byte that one endpoint had of it. */
interface Wait {
  readonly path: string
  readonly sentAtMs: number
  readonly ms: number
}

const p99 = (waits: ReadonlyArray<Wait>): number =>
  quantile(
    waits.map(({ ms }) => ms),
    0.99
  )

/** The same of the events of each second by themselves, and of those the median. */
const medianP99 = (waits: ReadonlyArray<Wait>): number => {
  const bySecond = Map.groupBy(waits, ({ sentAtMs }) => Math.floor(sentAtMs / 1000))
  return quantile(Array.from(bySecond.values(), p99), 0.5)
}

/** Everything that came, and from when it was sent. */
class Arrivals {
  readonly sentAtMs = new Map<string, number>()
  readonly seen = new Set<string>()
  readonly waits: Array<Wait> = []
  repeatedCount = 0
  wrongCount = 0
  lastAtMs = 0

  note({ atMs, id, path }: Seen): void {
    if (this.seen.has(`${path} ${id}`)) this.repeatedCount++
    else {
      const sentAtMs = this.sentAtMs.get(id)!
      this.waits.push({ path, sentAtMs, ms: atMs - sentAtMs })
    }
    this.seen.add(`${path} ${id}`)
    this.lastAtMs = Math.max(this.lastAtMs, atMs)
  }
}

const tellHalts = ({ garbageMs, machineMs, stolenMs, thisThreadMs }: Halts): string =>
  `halts of up to ${thisThreadMs.toFixed(0)} ms (garbage ${garbageMs.toFixed(0)} ms, a thread that ` +
  `does nothing ${machineMs.toFixed(0)} ms), ${stolenMs} ms stolen by the host`

/** The results at a pace. */
interface Pace {
  readonly waits: ReadonlyArray<Wait>
  readonly halts: Halts
}

/** The results of several rounds, and the longest halts of all. */
const together = (rounds: ReadonlyArray<Pace>): Pace => ({
  waits: rounds.flatMap(({ waits }) => waits),
  halts: rounds
    .map(({ halts }) => halts)
    .reduce((one, other) => ({
      thisThreadMs: Math.max(one.thisThreadMs, other.thisThreadMs),
      garbageMs: Math.max(one.garbageMs, other.garbageMs),
      machineMs: Math.max(one.machineMs, other.machineMs),
      stolenMs: one.stolenMs + other.stolenMs
    }))
})

const accountCount = 16
const warmUpCount = 200
/** More than an attempt may take, so that what hangs also times out and is tried again. */
const turnSeconds = 18

/** Endpoints that are registered besides: of which account, at what path, on what host. */
type Trouble = ReadonlyArray<readonly [account: number, path: string, name?: string]>

/** The account of which a healthy endpoint is looked at among those that hang. */
const sharedAccount = 8

const troubles: Readonly<Record<string, Trouble>> = {
  "all healthy": [],
  "four endpoints hang": [0, 1, 2, 3].map((account) => [account, "/hang/1"]),
  "four name servers are silent": [4, 5, 6, 7].map((account) => [account, "/hang/2", "silent"]),
  "four endpoints of one account hang": [1, 2, 3, 4].map((nth) => [sharedAccount, `/hang/8/${nth}`])
}

const show = (title: string, { halts, waits }: Pace): void => {
  const waitsMs = waits.map(({ ms }) => ms)
  const [p50, p95] = [0.5, 0.95].map((share) => quantile(waitsMs, share).toFixed(1))
  console.log(
    `${title}: ${waits.length} events, to the first byte p50 ${p50} ms, p95 ${p95} ms, ` +
      `p99 ${p99(waits).toFixed(1)} ms, in the median second ${medianP99(waits).toFixed(1)} ms; ` +
      tellHalts(halts)
  )
}

const compare = (title: string, { waits }: Pace, calm: Pace): void => {
  const ratio = (p99(waits) / p99(calm.waits)).toFixed(2)
  const typical = (medianP99(waits) / medianP99(calm.waits)).toFixed(2)
  console.log(`p99 ${title}: ${ratio} of its baseline, ${typical} in the median second`)
}

type Services = Events | Ids | Transactor | WebhookEndpoints

const main = async (storeName: string, eventCount: number): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "candlewick-bench-"))
  const databaseUrl = process.env["DATABASE_URL"]
  const isOwn = storeName === "postgres" && databaseUrl === undefined
  const server = isOwn ? await startPostgres(18) : null
  const stores = {
    memory: MemoryStore.layer,
    pglite: PostgresStore.layerAlone.pipe(
      Layer.provide(Pglite.layer({ directory: join(folder, "data") }))
    ),
    postgres: PostgresStore.layerAlone.pipe(
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
  const halts = watchHalts()
  const worker = new Worker(new URL(import.meta.url))
  let record = new Arrivals()
  let hungCount = 0
  const port = await new Promise<number>((resolve) => {
    worker.on("message", (message) => {
      if (message === "hangs") return (hungCount += 1)
      if ("port" in message) return resolve(message.port)
      record.wrongCount = message.wrongCount
      for (const one of message.seen) record.note(one)
    })
  })

  /** Accounts with an endpoint each, and what makes and awaits their events. */
  const makeLoad = Effect.gen(function* () {
    const events = yield* Events
    const ids = yield* Ids
    const { transact } = yield* Transactor
    const endpoints = yield* WebhookEndpoints
    const accounts = yield* Effect.forEach(Array.from({ length: accountCount }), () =>
      ids.make("account")
    )
    const register = Effect.fnUntraced(function* (account: number, path: string, name = "healthy") {
      const { id, secret } = yield* endpoints.register(accounts[account]!, {
        url: `http://${name}.example.com:${port}${path}`,
        events: ["trade.executed"],
        max_concurrency: 4,
        rate_per_second: 10_000
      })
      worker.postMessage([path, secret])
      return { accountId: accounts[account]!, id }
    })
    for (const account of accounts.keys()) yield* register(account, `/${account}`)

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
    const allSeen = Effect.fnUntraced(function* (count: number) {
      while (record.seen.size < count) yield* Effect.sleep(20)
      if (record.seen.size !== count || record.wrongCount > 0) {
        throw new Error(`${record.seen.size} of ${count} came, ${record.wrongCount} unsigned`)
      }
    }, Effect.timeout("120 seconds"))

    /** Events at a pace, a few every five milliseconds. */
    const paced = Effect.fnUntraced(function* (perSecond: number, seconds: number) {
      record = new Arrivals()
      halts.read()
      const began = nowMs()
      let count = 0
      while (nowMs() - began < seconds * 1000) {
        const wanted = Math.floor(((nowMs() - began) / 1000) * perSecond)
        if (wanted > count) yield* announce(wanted - count)
        count = Math.max(count, wanted)
        yield* Effect.sleep(5)
      }
      yield* allSeen(count)
      return { waits: record.waits, halts: halts.read() }
    })
    record = new Arrivals()
    yield* announce(warmUpCount)
    yield* allSeen(warmUpCount)
    return { announce, allSeen, paced, register }
  })

  const pace = storeName === "memory" ? 1_000 : 200
  const atFullSpeed = Effect.gen(function* () {
    const { allSeen, announce, paced } = yield* makeLoad
    record = new Arrivals()
    const cpu = process.threadCpuUsage()
    const began = nowMs()
    for (let sent = 0; sent < eventCount; sent += 50) yield* announce(50)
    yield* allSeen(eventCount)
    const spent = process.threadCpuUsage(cpu)
    const cpuMs = (spent.user + spent.system) / 1000
    const wallMs = record.lastAtMs - began
    console.log(
      `${storeName}: ${eventCount} deliveries in ${(wallMs / 1000).toFixed(2)} s, ` +
        `${Math.round((eventCount / wallMs) * 1000)} a second; ` +
        `${Math.round((eventCount / cpuMs) * 1000)} a second of one core's time; ` +
        `${record.repeatedCount} came twice, all ids seen, all signatures hold`
    )
    for (const perSecond of storeName === "memory" ? [pace, 1.5 * pace] : [pace]) {
      show(`${perSecond} events a second`, yield* paced(perSecond, 8))
    }
  })
  const inTrouble = (registrations: Trouble) =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const { paced, register } = yield* makeLoad
      const added = yield* Effect.forEach(registrations, (one) => register(...one))
      const hungBefore = hungCount
      const now = yield* paced(pace / 2, turnSeconds)
      if (hungCount > hungBefore !== registrations.some(([, , name]) => name === undefined)) {
        throw new Error("what hangs was asked in a turn without it, or not in one with it")
      }
      // A database goes on where it was: the next turn's service would send to them too.
      yield* Effect.forEach(added, ({ accountId, id }) => endpoints.remove(accountId, id))
      worker.postMessage("let go")
      return now
    })
  const run = <A, E>(program: Effect.Effect<A, E, Services>): Promise<A> =>
    Effect.runPromise(
      // It never answers about any other name.
      nameServer({ "healthy.example.com": ["127.0.0.1"] }).pipe(
        Effect.flatMap(({ address }) => Effect.provide(program, appWith([address]))),
        Effect.scoped,
        Effect.timeout("5 minutes")
      )
    )

  await run(atFullSpeed)
  const paces = new Map<string, Array<Pace>>()
  // A database takes long to open.
  const roundCount = storeName === "memory" ? 4 : 2
  for (let round = 0; round < roundCount; round++) {
    for (const [title, registrations] of Object.entries(troubles)) {
      paces.set(title, [...(paces.get(title) ?? []), await run(inTrouble(registrations))])
    }
  }
  const [calm, hung, silent, within] = Array.from(paces, ([title, some]) => {
    const all = together(some)
    show(`${pace / 2} events a second, ${title}`, all)
    return all
  })
  compare("of the healthy while others hang", hung!, calm!)
  compare("of the healthy with silent name servers", silent!, calm!)
  const ofShared = ({ halts, waits }: Pace): Pace => ({
    waits: waits.filter(({ path }) => path === `/${sharedAccount}`),
    halts
  })
  const title = "of a healthy endpoint while others of its account hang"
  compare(title, ofShared(within!), ofShared(calm!))
  await worker.terminate()
  await halts.stop()
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
}

if (isMainThread) {
  const [storeName = "memory", count = "20000"] = process.argv.slice(2)
  await main(storeName, Number(count))
} else receive()
