/**
 * The server goes on while its PostgreSQL is stopped, killed or frozen under it. Callers, probes,
 * bots, runs and webhooks notice that, and all of it recovers by itself.
 */
import type { Trade } from "@candlewick/core"
import { makeRandom } from "@candlewick/core/kernel"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { createDatabase } from "../../packages/store-postgres/test/databases/createDatabase.ts"
import {
  mayLeaveOut,
  type PostgresServer,
  startPostgres
} from "../../packages/store-postgres/test/databases/startPostgres.ts"
import { allOf, type Answer, answerOf, type Call, callsOf } from "./api.ts"
import { checkAll, type Findings } from "./checks.ts"
import { startReceiver } from "./receiver.ts"
import { apiKey, sleep, startServer } from "./serverProcess.ts"
import {
  commandBot,
  createBot,
  importCandles,
  keepBusy,
  Promises,
  writeStrategy
} from "./workload.ts"

/** A server whose commits outlive it, or why this machine has none. */
const postgres: PostgresServer | string = await startPostgres(18, { isDurable: true }).catch(
  (error: unknown) => String(error).slice(0, 300)
)

interface Outage {
  readonly name: string
  readonly begin: (database: PostgresServer) => Promise<void>
  readonly end: (database: PostgresServer) => Promise<void>
  /** The answer of `/readyz` about it. */
  readonly reason: RegExp
}

const outages: ReadonlyArray<Outage> = [
  {
    name: "is stopped",
    begin: (database) => database.takeDown("SIGINT"),
    end: (database) => database.bringUp(),
    reason: /store \(it can't be written\)/
  },
  {
    name: "is killed",
    begin: (database) => database.takeDown("SIGKILL"),
    end: (database) => database.bringUp(),
    reason: /store \(it can't be written\)/
  },
  {
    name: "hangs",
    begin: (database) => database.freeze(),
    end: (database) => database.thaw(),
    reason: /store \(it (?:takes longer than 4 s|can't be written)\)/
  }
]

const eventually = async (
  ask: () => Promise<Answer | null>,
  isWanted: (answer: Answer) => boolean
): Promise<Answer> => {
  let last: Answer | null = null
  for (let attempt = 0; attempt < 400; attempt++) {
    last = await ask()
    if (last !== null && isWanted(last)) return last
    await sleep(150)
  }
  throw new Error(`it did not come to that: ${JSON.stringify(last)}`)
}

const assertUnavailable = (answer: Answer | null, what: string): void => {
  assert.strictEqual(answer?.status, 503, `${what}: ${JSON.stringify(answer)}`)
  assert.strictEqual(answer?.body.code, "unavailable", what)
  assert.strictEqual(answer?.headers.get("content-type"), "application/problem+json", what)
  assert.isAtLeast(Number(answer?.headers.get("retry-after")), 1, what)
}

/** The probes, which are not under the API's path. */
const probe = async (url: string, path: "/readyz" | "/healthz"): Promise<Answer> => {
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${apiKey}` } })
  const body = (await response.json()) as Answer["body"]
  return { status: response.status, headers: response.headers, body }
}

const entriesOf = async (call: Call, kept: Promises): Promise<ReadonlyArray<Trade>> => {
  const all = await Promise.all(
    Array.from(kept.bots.keys(), (id) => allOf<Trade>(call, `/bots/${id}/trades`))
  )
  return all.flat().filter(({ leg }) => leg === "entry")
}

/** Bots that run, an optimization under way, webhooks, and callers who go on whatever happens. */
const liveThrough = async (database: PostgresServer, outage: Outage): Promise<void> => {
  const kept = new Promises()
  const findings: Findings = { losses: [], duplicates: [], faults: [] }
  const receiver = await startReceiver()
  const server = await startServer("none", {
    DATABASE_URL: await createDatabase(database.url),
    CANDLEWICK_REPLAY_RATE: "50"
  })
  try {
    assert.isTrue(await server.ready(120_000), String(server.ended()))
    const call = callsOf(server.url)
    const runs = ["strategy.generated", "strategy.optimized", "backtest.complete"]
    // Alerts among them: a bot that a slow store holds back makes one by itself.
    const events = [...runs, "trade.executed", "alert.triggered"]
    const webhook = await answerOf(call, "POST", "/webhooks", {
      body: { url: receiver.url, events }
    })
    receiver.secret = webhook.body.secret
    kept.webhooks.add(webhook.body.id)
    await importCandles(call, kept, 600)
    const strategyId = await writeStrategy(call, kept, "the strategy")
    const first = await createBot(call, kept, "a bot", strategyId!, false)
    const second = await createBot(call, kept, "another", strategyId!, false)
    await commandBot(call, kept, first!, "start")
    await commandBot(call, kept, second!, "start")
    await eventually(
      () => call("GET", `/bots/${first!}/performance`),
      ({ body }) => body.trade_count > 3
    )
    let isOver = false
    const busy = keepBusy(call, kept, makeRandom(11), () => isOver)
    const body = { strategy_id: strategyId, max_trials: 10_000, seed: 1 }
    const run = await answerOf(call, "POST", "/mix/optimize", { body })
    assert.strictEqual(run.status, 202, JSON.stringify(run.body))
    kept.runs.set(run.body.id, { kind: "optimize", isCancelled: false })
    await eventually(
      () => call("GET", `/mix/optimize/${run.body.id}/status`),
      (answer) => answer.body.status !== "queued"
    )

    await outage.begin(database)
    const downMs = Date.now()
    assertUnavailable(await call("PUT", `/bots/${first!}`, { body: { name: "x" } }), "a write")
    assertUnavailable(await call("GET", "/bots"), "a read")
    const unready = await eventually(
      () => probe(server.url, "/readyz"),
      ({ status }) => status === 503
    )
    assertUnavailable(unready, "/readyz")
    assert.match(unready.body.detail, outage.reason)
    assert.strictEqual((await probe(server.url, "/healthz")).status, 200)
    await sleep(3_000)
    assertUnavailable(await call("GET", "/bots"), "a read, later")
    const upMs = Date.now()
    await outage.end(database)

    await eventually(
      () => probe(server.url, "/readyz"),
      ({ status }) => status === 200
    )
    const acknowledged = kept.acknowledged
    await sleep(3_000)
    isOver = true
    await busy
    assert.isAbove(kept.acknowledged, acknowledged, "callers are served again")
    for (const [id] of kept.bots) await commandBot(call, kept, id, "start")
    await checkAll(call, kept, [receiver], findings)
    assert.strictEqual(server.ended(), null)
    // Together: what surprised may say how something was lost.
    const found = { ...findings, surprises: kept.surprises }
    assert.deepStrictEqual(found, { losses: [], duplicates: [], faults: [], surprises: [] })
    const opened = (await entriesOf(call, kept)).map((trade) => Date.parse(trade.created_at))
    assert.deepStrictEqual(
      opened.filter((atMs) => atMs > downMs && atMs < upMs),
      []
    )
    assert.isTrue(
      opened.some((atMs) => atMs < downMs) && opened.some((atMs) => atMs > upMs),
      "bots open positions before and after it"
    )
  } finally {
    await server.kill("SIGKILL")
    await receiver.close()
  }
}

describe("a server whose database goes down", () => {
  afterAll(async () => {
    if (typeof postgres !== "string") await postgres.stop()
  })
  for (const outage of outages) {
    const name = `loses nothing, opens nothing and recovers by itself when it ${outage.name}`
    if (typeof postgres === "string" && mayLeaveOut) it.skip(`${name} (skipped: ${postgres})`)
    else if (typeof postgres === "string") it(name, () => assert.fail(postgres))
    else it(name, () => liveThrough(postgres, outage), 600_000)
  }
})
