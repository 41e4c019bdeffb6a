/**
 * Bots of one strategy on servers that share a PostgreSQL: how they are set up, and what they must
 * have come to.
 */
import type { StrategyDefinition } from "@candlewick/core"
import { Postgres } from "@candlewick/store-postgres"
import { makeRandom } from "@candlewick/core/kernel"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { allOf, answerOf, callsOf } from "./api.ts"
import type { ServerProcess } from "./serverProcess.ts"
import { until } from "./until.ts"
import { symbol } from "./workload.ts"

const shardCount = 300

/** Asks the database itself. */
export const ask = <A extends object>(url: string, statement: string): Promise<ReadonlyArray<A>> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<A>(statement)).pipe(
    Effect.provide(Postgres.layer({ url, connectionsMax: 1 })),
    Effect.runPromise
  )

/** How many shards each process has. */
export const shardsOf = async (url: string): Promise<ReadonlyArray<number>> => {
  const rows = await ask<{ readonly count: number }>(
    url,
    "select count(*)::int as count from bots_locks group by address"
  )
  return rows.map(({ count }) => count)
}

/** Waits until so many servers have all shards, each its part of them to within a fifth. */
export const untilShared = async (url: string, servers: number): Promise<void> => {
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

/** Imports a market's first candles into one server. */
export const importCandles = async (server: ServerProcess, count: number): Promise<void> => {
  const path = `/candles?symbol=${encodeURIComponent(symbol)}&timeframe=1h`
  const csv = csvOf(count)
  const imported = await answerOf(callsOf(server.url), "POST", path, { csv })
  assert.isBelow(imported.status, 300, JSON.stringify(imported.body))
}

/** Writes a strategy for that market. */
export const writeStrategy = async (
  server: ServerProcess,
  definition: StrategyDefinition
): Promise<string> => {
  const strategy = await answerOf(callsOf(server.url), "POST", "/mix/strategies", {
    body: { name: "placed", definition }
  })
  assert.strictEqual(strategy.status, 201, JSON.stringify(strategy.body))
  return strategy.body.id
}

/** Starts bots of a strategy, on one server after the other. */
export const startBots = async (
  servers: ReadonlyArray<ServerProcess>,
  strategyId: string,
  botCount: number
): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  for (let index = 0; index < botCount; index++) {
    const call = callsOf(servers[index % servers.length]!.url)
    const bot = await answerOf(call, "POST", "/bots", {
      body: {
        name: `placed ${index}`,
        strategy_id: strategyId,
        capital_allocation: 10_000,
        auto_start: true
      }
    })
    assert.strictEqual(bot.status, 201, JSON.stringify(bot.body))
    ids.push(bot.body.id)
  }
  return ids
}

type Fill = Readonly<Record<string, unknown>>

const toText = (fill: Fill): string =>
  ["executed_at", "side", "amount", "price", "fee", "leg"].map((name) => fill[name]).join(" ")

/** The fills of a bot, the oldest first. */
export const fillsOf = async (
  server: ServerProcess,
  botId: string
): Promise<ReadonlyArray<string>> => {
  const trades = await allOf<Fill>(callsOf(server.url), `/bots/${botId}/trades`)
  return trades.map(toText).toReversed()
}

/** The fills that a backtest of a strategy makes. */
export const backtestFills = async (
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
export const untilEnded = async (
  server: ServerProcess,
  ids: ReadonlyArray<string>
): Promise<void> => {
  const call = callsOf(server.url)
  for (const id of ids) {
    const isEnded = async () => {
      const { body } = await answerOf(call, "GET", `/bots/${id}/status`)
      return body.is_data_ended
    }
    assert.isNull(await until(isEnded, `${id} does not come to the end`, 240_000))
  }
}
