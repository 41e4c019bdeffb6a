/**
 * Servers on one PostgreSQL share the bots out among them. Whichever of them stands still or is
 * killed, equal bots make equal fills, and those of the backtest.
 */
import { Postgres } from "@candlewick/store-postgres"
import { makeRandom } from "@candlewick/core/kernel"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createDatabase } from "../../packages/store-postgres/test/databases/createDatabase.ts"
import {
  mayLeaveOut,
  startPostgres
} from "../../packages/store-postgres/test/databases/startPostgres.ts"
import { allOf, answerOf, callsOf } from "./api.ts"
import { type ServerProcess, sleep, startServer } from "./serverProcess.ts"
import { until } from "./until.ts"
import { definition, symbol } from "./workload.ts"

const botCount = 12
const shardCount = 300

const ask = <A extends object>(url: string, statement: string): Promise<ReadonlyArray<A>> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<A>(statement)).pipe(
    Effect.provide(Postgres.layer({ url, connectionsMax: 1 })),
    Effect.runPromise
  )

/** How many shards each process has. */
const shardsOf = async (url: string): Promise<ReadonlyArray<number>> => {
  const rows = await ask<{ readonly count: number }>(
    url,
    "select count(*)::int as count from bots_locks group by address"
  )
  return rows.map(({ count }) => count)
}

/** Waits until so many servers have all shards, each its part of them to within a fifth. */
const untilShared = async (url: string, servers: number): Promise<void> => {
  let shards: ReadonlyArray<number> = []
  const isShared = async () => {
    shards = await shardsOf(url)
    const part = shardCount / servers
    return (
      shards.length === servers &&
      shards.reduce((sum, one) => sum + one, 0) === shardCount &&
      shards.every((one) => Math.abs(one - part) <= part / 5)
    )
  }
  const late = await until(isShared, "the shards are not shared out", 60_000)
  assert.isNull(late, JSON.stringify(shards))
}

/** A market's candles as CSV: a walk that crosses its average often. */
const csvOf = (count: number): string => {
  const random = makeRandom("placed bots")
  let close = 100
  const rows = Array.from({ length: count }, (_, index) => {
    const open = close
    close = Math.max(50, close * (1 + (random.next() - 0.5) / 25))
    const time = new Date(Date.UTC(2020, 0, 1) + index * 3_600_000).toISOString()
    return [time, open, Math.max(open, close), Math.min(open, close), close, 1_000].join(",")
  })
  return `time,open,high,low,close,volume\n${rows.join("\n")}`
}

const candleCount = 400

/** Bots of one strategy, started on one server. */
const startBots = async (server: ServerProcess) => {
  const call = callsOf(server.url)
  const path = `/candles?symbol=${encodeURIComponent(symbol)}&timeframe=1h`
  const imported = await answerOf(call, "POST", path, { csv: csvOf(candleCount) })
  assert.isBelow(imported.status, 300, JSON.stringify(imported.body))
  const strategy = await answerOf(call, "POST", "/mix/strategies", {
    body: { name: "placed", definition }
  })
  assert.strictEqual(strategy.status, 201, JSON.stringify(strategy.body))
  const ids: Array<string> = []
  for (let index = 0; index < botCount; index++) {
    const bot = await answerOf(call, "POST", "/bots", {
      body: {
        name: `placed ${index}`,
        strategy_id: strategy.body.id,
        capital_allocation: 10_000,
        auto_start: true
      }
    })
    assert.strictEqual(bot.status, 201, JSON.stringify(bot.body))
    ids.push(bot.body.id)
  }
  return { ids, strategyId: strategy.body.id }
}

type Fill = Readonly<Record<string, unknown>>

const toText = (fill: Fill): string =>
  ["executed_at", "side", "amount", "price", "fee", "leg"].map((name) => fill[name]).join(" ")

const fillsOf = async (server: ServerProcess, botId: string): Promise<ReadonlyArray<string>> => {
  const trades = await allOf<Fill>(callsOf(server.url), `/bots/${botId}/trades`)
  return trades.map(toText).toReversed()
}

/** The fills that a backtest of a strategy makes. */
const backtestFills = async (
  server: ServerProcess,
  strategyId: string
): Promise<ReadonlyArray<string>> => {
  const call = callsOf(server.url)
  const { body: begun } = await answerOf(call, "POST", "/mix/backtest", {
    body: { strategy_id: strategyId, end_of_data: "open", initial_capital: 10_000 }
  })
  const statusOf = async () => (await answerOf(call, "GET", `/mix/backtest/${begun.id}`)).body
  const isOver = async () => (await statusOf()).status === "completed"
  const late = await until(isOver, "the backtest does not complete", 60_000)
  assert.isNull(late, JSON.stringify(await statusOf()))
  const { body } = await answerOf(call, "GET", `/mix/backtest/${begun.id}/results`)
  return body.trades.map(toText)
}

/** Waits until all bots have come to the end of their candles. */
const untilEnded = async (server: ServerProcess, ids: ReadonlyArray<string>): Promise<void> => {
  const call = callsOf(server.url)
  for (const id of ids) {
    const isEnded = async () => {
      const { body } = await answerOf(call, "GET", `/bots/${id}/status`)
      return body.is_data_ended
    }
    assert.isNull(await until(isEnded, `${id} does not come to the end`, 240_000))
  }
}

describe("bots on several servers", () => {
  it("are shared out evenly, and fill alike whichever server stands still or dies", async (test) => {
    const database = await startPostgres(18).catch((error: unknown) => String(error))
    if (typeof database === "string") {
      assert.isTrue(mayLeaveOut, database)
      return test.skip()
    }
    const servers: Array<ServerProcess> = []
    try {
      const url = await createDatabase(database.url)
      const begin = async (): Promise<ServerProcess> => {
        const environment = { DATABASE_URL: url, CANDLEWICK_REPLAY_RATE: "10" }
        const server = await startServer("none", environment)
        servers.push(server)
        assert.isTrue(await server.ready(120_000), String(server.ended()))
        return server
      }
      const [first, second, third] = [await begin(), await begin(), await begin()]
      await untilShared(url, 3)
      const { ids, strategyId } = await startBots(first)
      await sleep(4_000)
      for (const frozen of [first, second]) {
        frozen.child.kill("SIGSTOP")
        await sleep(9_000)
        frozen.child.kill("SIGCONT")
        await sleep(3_000)
      }
      await third.kill("SIGKILL")
      await untilShared(url, 2)
      const fourth = await begin()
      await untilShared(url, 3)
      await second.kill("SIGTERM")
      await untilShared(url, 2)

      await untilEnded(fourth, ids)
      const expected = await backtestFills(fourth, strategyId)
      assert.isAbove(expected.length, 20)
      for (const id of ids) assert.deepStrictEqual(await fillsOf(fourth, id), expected)
    } finally {
      for (const server of servers) await server.kill("SIGKILL")
      await database.stop()
    }
  }, 400_000)
})
