/**
 * Servers on one PostgreSQL whose clocks are an hour apart: nothing is done twice, and nothing waits
 * an hour.
 */
import { Postgres } from "@candlewick/store-postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createServer } from "node:http"
import { createDatabase } from "../../packages/store-postgres/test/databases/createDatabase.ts"
import {
  mayLeaveOut,
  startPostgres
} from "../../packages/store-postgres/test/databases/startPostgres.ts"
import { allOf, answerOf, callsOf } from "./api.ts"
import {
  ask,
  backtestFills,
  fillsOf,
  importCandles,
  startBots,
  untilEnded,
  untilShared,
  writeStrategy
} from "./placedBots.ts"
import { type Receiver, startReceiver } from "./receiver.ts"
import { type ServerProcess, startServer } from "./serverProcess.ts"
import { until } from "./until.ts"
import { definition } from "./workload.ts"

const hourMs = 3_600_000
const botCount = 8
const candleCount = 400

/** A receiver that leaves requests without an answer while it is told to. */
const startHolding = async () => {
  const heard: Array<string> = []
  const state = { isHolding: true }
  const server = createServer((request, response) => {
    heard.push(String(request.headers["webhook-id"]))
    request.resume()
    if (!state.isHolding) response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/hook`,
    heard,
    state,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

/** Has every write of a strategy wait while something is done. */
const whileWritesWait = <A>(url: string, work: () => Promise<A>): Promise<A> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql.withTransaction(
      Effect.andThen(sql`lock table strategies in share mode`, Effect.promise(work))
    )
  }).pipe(Effect.provide(Postgres.layer({ url, connectionsMax: 1 })), Effect.runPromise)

const register = async (server: ServerProcess, url: string, events: ReadonlyArray<string>) => {
  const answer = await answerOf(callsOf(server.url), "POST", "/webhooks", { body: { url, events } })
  assert.strictEqual(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

/** Writes a strategy under a key, and gives the answer as it comes, a refusal too. */
const write = (server: ServerProcess, key: string) =>
  answerOf(callsOf(server.url), "POST", "/mix/strategies", {
    body: { name: `written under ${key}`, definition },
    headers: { "idempotency-key": key }
  })

const untilClaimed = async (url: string, key: string): Promise<void> => {
  const isClaimed = async () =>
    (await ask(url, `select key from idempotency_keys where key = '${key}'`)).length > 0
  assert.isNull(await until(isClaimed, `the key ${key} is not claimed`, 20_000))
}

/** A request that is under way in one server is under way in the other. */
const holdKey = async (url: string, key: string, at: ServerProcess, other: ServerProcess) => {
  let first: Promise<Awaited<ReturnType<typeof write>>> | undefined
  await whileWritesWait(url, async () => {
    first = write(at, key)
    await untilClaimed(url, key)
    const second = await write(other, key)
    assert.strictEqual(second.body.code, "idempotency_in_progress")
  })
  const made = await first!
  assert.strictEqual(made.status, 201, JSON.stringify(made.body))
  const again = await write(other, key)
  assert.deepStrictEqual(again.body, made.body)
}

/** Each announced event came once, as far as it came. */
const checkOnce = (receiver: Receiver): void => {
  const twice = [...receiver.heard.values()].filter(({ count }) => count !== 1)
  assert.deepStrictEqual(twice, [])
  assert.strictEqual(receiver.refused(), 0, "a receiver refuses a signature that is an hour off")
}

describe("servers whose clocks are an hour apart", () => {
  it("do nothing twice, and take over at once what a killed one held", async (test) => {
    const database = await startPostgres(18).catch((error: unknown) => String(error))
    if (typeof database === "string") {
      assert.isTrue(mayLeaveOut, database)
      return test.skip()
    }
    const servers: Array<ServerProcess> = []
    const receiver = await startReceiver()
    const holding = await startHolding()
    try {
      const url = await createDatabase(database.url)
      const begin = async (clock: Readonly<Record<string, string>>): Promise<ServerProcess> => {
        const environment = { DATABASE_URL: url, CANDLEWICK_REPLAY_RATE: "10", ...clock }
        const server = await startServer("none", environment)
        servers.push(server)
        assert.isTrue(await server.ready(120_000), String(server.ended()))
        return server
      }
      const right = await begin({})
      const fast = await begin({
        NODE_OPTIONS: `--import ${new URL("./aheadClock.ts", import.meta.url).href}`,
        CANDLEWICK_TEST_CLOCK_AHEAD_MS: String(hourMs)
      })
      await untilShared(url, 2)
      const hook = await register(fast, receiver.url, ["trade.executed"])
      receiver.secret = hook.secret
      const held = await register(right, holding.url, ["alert.triggered"])
      await importCandles(fast, candleCount)
      const strategyId = await writeStrategy(fast, definition)
      const ids = await startBots([right, fast], strategyId, botCount)

      await holdKey(url, "right", right, fast)
      await holdKey(url, "fast", fast, right)
      // Which server sends an event is left to chance.
      const isHeard = async () => {
        const heard = [...receiver.heard.values()]
        const ahead = heard.filter(
          ({ firstMs, timestamp }) => Date.parse(timestamp) > firstMs + hourMs / 2
        )
        const isOfBoth = ahead.length > 0 && ahead.length < heard.length
        return isOfBoth && heard.length >= 5 * botCount
      }
      assert.isNull(await until(isHeard, "trades are not announced by both servers", 120_000))
      checkOnce(receiver)

      // Only the fast server can send and answer meanwhile.
      right.child.kill("SIGSTOP")
      const sample = await answerOf(callsOf(fast.url), "POST", `/webhooks/${held.id}/test`)
      assert.strictEqual(sample.status, 202, JSON.stringify(sample.body))
      const isSent = async () => holding.heard.length > 0
      assert.isNull(await until(isSent, "the sample is not sent", 120_000))
      await whileWritesWait(url, async () => {
        void write(fast, "lost").catch(() => null)
        await untilClaimed(url, "lost")
        await fast.kill("SIGKILL")
      })
      right.child.kill("SIGCONT")
      holding.state.isHolding = false
      assert.strictEqual((await write(right, "lost")).body.code, "idempotency_in_progress")

      await untilEnded(right, ids)
      const isTaken = async () => holding.heard.length > 1
      assert.isNull(await until(isTaken, "the sample is not sent again", 120_000))
      assert.lengthOf(new Set(holding.heard), 1)
      const isFree = async () => (await write(right, "lost")).status === 201
      assert.isNull(await until(isFree, "the key is not free again", 300_000))

      const expected = await backtestFills(right, strategyId)
      assert.isAbove(expected.length, 20)
      // Ids begin with the time of the server that made them, and lists go by the ids.
      for (const id of ids) {
        assert.deepStrictEqual((await fillsOf(right, id)).toSorted(), expected.toSorted())
      }
      const isAnnounced = async () => receiver.heard.size >= botCount * expected.length
      assert.isNull(await until(isAnnounced, "not every trade is announced", 120_000))
      assert.strictEqual(receiver.heard.size, botCount * expected.length)
      const written = await allOf<{ readonly name: string }>(callsOf(right.url), "/mix/strategies")
      const names = written.map(({ name }) => name).filter((name) => name.includes("under"))
      const keys = ["fast", "lost", "right"]
      assert.deepStrictEqual(
        names.toSorted(),
        keys.map((key) => `written under ${key}`)
      )
    } finally {
      for (const server of servers) {
        server.child.kill("SIGCONT")
        await server.kill("SIGKILL")
      }
      holding.close()
      await receiver.close()
      await database.stop()
    }
  }, 900_000)
})
