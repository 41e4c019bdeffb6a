/**
 * A server that is told to end does so in time, whatever runs in it, and the next one goes on.
 */
import type { StrategyDefinition } from "@candlewick/core"
import { makeRandom } from "@candlewick/core/kernel"
import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createDatabase } from "../../packages/store-postgres/test/databases/createDatabase.ts"
import {
  mayLeaveOut,
  type PostgresServer,
  startPostgres
} from "../../packages/store-postgres/test/databases/startPostgres.ts"
import { answerOf, callsOf } from "./api.ts"
import { apiKey, type ServerProcess, sleep, startServer } from "./serverProcess.ts"
import { until } from "./until.ts"

const symbol = "LONG/USD"
const candlesCount = 400_000

/** A long series: minutes of a walk around 100. */
const longSeries = (): string => {
  const random = makeRandom("a long series")
  const rows = ["time,open,high,low,close,volume"]
  let close = 100
  for (let index = 0; index < candlesCount; index++) {
    const open = close
    close = Number((open * Math.exp(0.002 * random.normal()) * (100 / open) ** 0.01).toFixed(4))
    const [high, low] = [Math.max(open, close) + 0.1, Math.min(open, close) - 0.1]
    const time = Date.UTC(2020, 0, 1) + index * 60_000
    rows.push([time, open, high.toFixed(4), low.toFixed(4), close, 100].join(","))
  }
  return `${rows.join("\n")}\n`
}

const parameters = Array.from({ length: 32 }, (_, index) => `period_${index}`)

/** So many indicators that no two trials share, that one task of an optimization takes minutes. */
const heavy = {
  format: 1,
  symbols: [symbol],
  timeframe: "1m",
  parameters: Object.fromEntries(
    parameters.map((name) => [name, { kind: "integer", default: 20, min: 5, max: 900 }])
  ),
  long: {
    enter: {
      type: "any",
      rules: parameters.map((parameter) => ({
        type: "below",
        left: { type: "price", field: "close" },
        right: {
          type: "mul",
          left: { type: "lowest", of: { type: "price", field: "close" }, period: { parameter } },
          right: { type: "constant", value: 1.001 }
        }
      }))
    },
    exit: {
      type: "all",
      rules: parameters.map((parameter) => ({
        type: "above",
        left: { type: "price", field: "close" },
        right: { type: "wma", period: { parameter } }
      }))
    }
  }
} as unknown as StrategyDefinition

/** How the server ended: its exit code, or null where it goes on for much longer than it may. */
const endOf = async (server: ServerProcess): Promise<number | null> => {
  const late = await until(
    () => Promise.resolve(server.ended() !== null),
    "the server goes on",
    90_000
  )
  return late === null ? server.child.exitCode : null
}

const startReady = async (
  directory: string,
  environment: Readonly<Record<string, string>> = {}
): Promise<ServerProcess> => {
  const server = await startServer(directory, environment)
  assert.isTrue(await server.ready(120_000), String(server.ended()))
  return server
}

/** Begins an import whose body never comes to its end. */
const uploadForEver = async (server: ServerProcess) => {
  const path = "/v1/candles?symbol=SLOW%2FUSD&timeframe=1h"
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "text/csv" }
  const upload = request(`${server.url}${path}`, { method: "POST", headers })
  upload.on("error", () => undefined)
  upload.write("time,open,high,low,close,volume\n")
  await once(upload, "socket")
  return upload
}

describe("a server that gets SIGTERM", () => {
  it("ends while a task takes minutes and others wait, and they go on after the start", async () => {
    const directory = await mkdtemp(join(tmpdir(), "candlewick-end-"))
    let server = await startReady(directory)
    try {
      let call = callsOf(server.url)
      const path = `/candles?symbol=${encodeURIComponent(symbol)}&timeframe=1m`
      assert.strictEqual((await call("POST", path, { csv: longSeries() }))?.status, 200)
      const runs: Array<string> = []
      const begin = async (name: string) => {
        const body = { name, definition: heavy }
        const strategy = await answerOf(call, "POST", "/mix/strategies", { body })
        assert.strictEqual(strategy.status, 201, JSON.stringify(strategy.body))
        const asked = { strategy_id: strategy.body.id, max_trials: 10_000, seed: 1 }
        const run = await answerOf(call, "POST", "/mix/optimize", { body: asked })
        assert.strictEqual(run.status, 202, JSON.stringify(run.body))
        runs.push(run.body.id)
        return run.body.id
      }
      const first = await begin("the heavy one")
      const statusOf = async (id: string) =>
        (await answerOf(call, "GET", `/mix/optimize/${id}/status`)).body.status
      await until(async () => (await statusOf(first)) === "running", "it runs", 60_000)
      await begin("another")
      const last = await begin("the last one")
      assert.strictEqual(await statusOf(last), "queued")
      // The thread computes by now.
      await sleep(3_000)
      server.child.kill("SIGTERM")
      assert.strictEqual(await endOf(server), 0, String(server.ended()))

      server = await startReady(directory, { CANDLEWICK_WORKERS: "3" })
      call = callsOf(server.url)
      for (const id of runs) {
        const late = await until(async () => (await statusOf(id)) === "running", id, 60_000)
        assert.isNull(late, "a run does not go on")
      }
    } finally {
      await server.kill("SIGKILL")
      await rm(directory, { recursive: true, force: true })
    }
  }, 600_000)

  it("ends at once when it comes again", async () => {
    const directory = await mkdtemp(join(tmpdir(), "candlewick-end-"))
    const server = await startReady(directory)
    const upload = await uploadForEver(server)
    try {
      await sleep(500)
      server.child.kill("SIGTERM")
      // npm may repeat a signal that a terminal has sent to both.
      server.child.kill("SIGTERM")
      await sleep(1_500)
      assert.isNull(server.ended(), "a request under way has its time")
      server.child.kill("SIGTERM")
      assert.strictEqual(await endOf(server), 128 + 15, String(server.ended()))
    } finally {
      upload.destroy()
      await server.kill("SIGKILL")
      await rm(directory, { recursive: true, force: true })
    }
  }, 240_000)

  it("ends while its PostgreSQL hangs", async (test) => {
    const database: PostgresServer | string = await startPostgres(18).catch((error: unknown) =>
      String(error)
    )
    if (typeof database === "string") {
      assert.isTrue(mayLeaveOut, database)
      return test.skip()
    }
    const environment = { DATABASE_URL: await createDatabase(database.url) }
    const server = await startReady("none", environment)
    try {
      await database.freeze()
      server.child.kill("SIGTERM")
      assert.strictEqual(await endOf(server), 0, String(server.ended()))
    } finally {
      await server.kill("SIGKILL")
      await database.thaw()
      await database.stop()
    }
  }, 300_000)
})
