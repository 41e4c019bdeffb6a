/**
 * Servers on one PostgreSQL share the runs among them, each as a runner of its own.
 */
import { Postgres } from "@candlewick/store-postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createDatabase } from "../../packages/store-postgres/test/databases/createDatabase.ts"
import {
  mayLeaveOut,
  startPostgres
} from "../../packages/store-postgres/test/databases/startPostgres.ts"
import { answerOf, callsOf } from "./api.ts"
import { type ServerProcess, startServer } from "./serverProcess.ts"
import { until } from "./until.ts"
import { definition } from "./workload.ts"

const shardCount = 300
const machineCount = 1_024

const ask = <A extends object>(url: string, statement: string): Promise<ReadonlyArray<A>> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<A>(statement)).pipe(
    Effect.provide(Postgres.layer({ url, connectionsMax: 2 })),
    Effect.runPromise
  )

/** How many shards each process has locked. */
const shardsOf = async (url: string): Promise<ReadonlyArray<number>> => {
  const rows = await ask<{ readonly count: number }>(
    url,
    `select count(*)::int as count from pg_locks join pg_database d on d.oid = database
     where locktype = 'advisory' and objsubid = 2 and granted and datname = current_database()
     group by pid`
  )
  return rows.map(({ count }) => count)
}

const untilShared = async (url: string, servers: number): Promise<void> => {
  let shards: ReadonlyArray<number> = []
  const isShared = async () => {
    shards = await shardsOf(url)
    return shards.length === servers && shards.reduce((sum, one) => sum + one, 0) === shardCount
  }
  const late = await until(isShared, "the shards are not shared", 60_000)
  assert.isNull(late, JSON.stringify(shards))
}

/** The numbers of the runners, as far as ids of messages tell them. */
const machinesOf = async (url: string): Promise<ReadonlyArray<number>> => {
  const rows = await ask<{ readonly machine_id: number }>(
    url,
    "select machine_id from cluster_runners order by machine_id"
  )
  return rows.map(({ machine_id: id }) => id % machineCount)
}

const writeStrategy = async (server: ServerProcess, name: string): Promise<string> => {
  const body = { name, definition: { ...definition, symbols: ["GBP/USD"] } }
  return (await answerOf(callsOf(server.url), "POST", "/mix/strategies", { body })).body.id
}

/** Begins backtests, and waits until they have completed, wherever they are carried out. */
const runBacktests = async (server: ServerProcess, name: string, count: number): Promise<void> => {
  const call = callsOf(server.url)
  const strategyId = await writeStrategy(server, name)
  const runs = await Promise.all(
    Array.from({ length: count }, () =>
      answerOf(call, "POST", "/mix/backtest", { body: { strategy_id: strategyId } })
    )
  )
  for (const { body: run } of runs) {
    const isOver = async () =>
      (await answerOf(call, "GET", `/mix/backtest/${run.id}`)).body.status === "completed"
    assert.isNull(await until(isOver, `${run.id} does not complete`, 60_000))
  }
}

describe("servers on one PostgreSQL", () => {
  it("are a runner each, whose shards move on when it is killed", async (test) => {
    const database = await startPostgres(18).catch((error: unknown) => String(error))
    if (typeof database === "string") {
      assert.isTrue(mayLeaveOut, database)
      return test.skip()
    }
    const servers: Array<ServerProcess> = []
    try {
      const url = await createDatabase(database.url)
      const name = new URL(url).pathname.slice(1)
      await ask(url, `alter database ${name} set timezone to 'America/New_York'`)
      const begin = async (): Promise<ServerProcess> => {
        const server = await startServer("none", { DATABASE_URL: url })
        servers.push(server)
        assert.isTrue(await server.ready(120_000), String(server.ended()))
        return server
      }
      const first = await begin()
      const second = await begin()
      await untilShared(url, 2)
      await runBacktests(first, "of the first", 8)
      await runBacktests(second, "of the second", 8)

      const machines = await machinesOf(url)
      assert.lengthOf(new Set(machines), 2)
      const makers = await ask<{ readonly machine: number }>(
        url,
        "select distinct ((id >> 12) % 1024)::int as machine from cluster_messages order by 1"
      )
      assert.deepStrictEqual(
        makers.map(({ machine }) => machine),
        machines.toSorted((left, right) => left - right)
      )
      const [{ count }] = (await ask<{ readonly count: number }>(
        url,
        `select count(*)::int as count from cluster_runners
         where abs(extract(epoch from last_heartbeat - (now() at time zone 'UTC'))) < 60`
      )) as [{ readonly count: number }]
      assert.strictEqual(count, 2, "heartbeats are in UTC")

      await first.kill("SIGKILL")
      await untilShared(url, 1)
      // The next row's number would have the same last bits as that of the second.
      const living = (await machinesOf(url)).at(-1)!
      const counter = "pg_get_serial_sequence('cluster_runners', 'machine_id')"
      await ask(url, `select setval(${counter}, ${living + machineCount - 1})`)
      const third = await begin()
      await untilShared(url, 2)
      const later = await machinesOf(url)
      assert.lengthOf(new Set(later), later.length, JSON.stringify(later))
      await runBacktests(third, "of the third", 2)
    } finally {
      for (const server of servers) await server.kill("SIGKILL")
      await database.stop()
    }
  }, 400_000)

  it("take up what a killed one left, however slow the store is at first", async (test) => {
    const database = await startPostgres(18).catch((error: unknown) => String(error))
    if (typeof database === "string") {
      assert.isTrue(mayLeaveOut, database)
      return test.skip()
    }
    const url = await createDatabase(database.url)
    let server = await startServer("none", { DATABASE_URL: url })
    try {
      assert.isTrue(await server.ready(120_000), String(server.ended()))
      const strategyId = await writeStrategy(server, "a long search")
      const body = { strategy_id: strategyId, max_trials: 10_000, seed: 1, objective: "sortino" }
      const run = await answerOf(callsOf(server.url), "POST", "/mix/optimize", { body })
      const statusOf = async () => {
        const path = `/mix/optimize/${run.body.id}/status`
        return (await answerOf(callsOf(server.url), "GET", path)).body
      }
      const isRunning = async () => (await statusOf()).status === "running"
      assert.isNull(await until(isRunning, "it", 60_000), JSON.stringify(await statusOf()))
      await server.kill("SIGKILL")

      // The next runner wants to reset a row that is locked for longer than it waits.
      const locked = `with held as materialized (select 1 from cluster_messages for update)
        select pg_sleep(12) from (select count(*) from held) as all_of_them`
      const isFree = ask(url, locked)
      server = await startServer("none", { DATABASE_URL: url })
      assert.isTrue(await server.ready(120_000), String(server.ended()))
      await isFree
      const { completed_trials: before } = await statusOf()
      const goesOn = async () => {
        const { completed_trials: now, status } = await statusOf()
        return status === "completed" || now > before
      }
      assert.isNull(await until(goesOn, "the run does not go on", 90_000), String(server.ended()))
    } finally {
      await server.kill("SIGKILL")
      await database.stop()
    }
  }, 400_000)

  it("go on with runs while callers keep all other connections busy", async (test) => {
    const database = await startPostgres(18).catch((error: unknown) => String(error))
    if (typeof database === "string") {
      assert.isTrue(mayLeaveOut, database)
      return test.skip()
    }
    const url = await createDatabase(database.url)
    const environment = { DATABASE_URL: url, CANDLEWICK_DATABASE_CONNECTIONS: "5" }
    const server = await startServer("none", environment)
    try {
      assert.isTrue(await server.ready(120_000), String(server.ended()))
      const sessions = async (condition: string): Promise<number> => {
        const [row] = await ask<{ readonly count: number }>(
          url,
          `select count(*)::int as count from pg_stat_activity
           where datname = current_database() and ${condition}`
        )
        return row!.count
      }
      const isFree = ask(
        url,
        "do $$ begin lock table bots in access exclusive mode; perform pg_sleep(15); end $$"
      )
      const isLocked = async (): Promise<boolean> => {
        const [row] = await ask<{ readonly count: number }>(
          url,
          `select count(*)::int as count from pg_locks
           where relation = 'bots'::regclass and mode = 'AccessExclusiveLock' and granted`
        )
        return row!.count > 0
      }
      assert.isNull(await until(isLocked, "the table is not locked", 10_000))
      const call = callsOf(server.url)
      const calls = Array.from({ length: 12 }, () => call("GET", "/bots"))
      const waiting = "application_name = 'candlewick' and wait_event_type = 'Lock'"
      const isFull = async () => (await sessions(waiting)) === 3
      assert.isNull(await until(isFull, "the connections are not all busy", 12_000))
      const [now] = await ask<{ readonly at: string }>(url, "select clock_timestamp()::text as at")
      const later = `application_name = 'candlewick runs' and query_start > '${now!.at}'`
      const goesOn = async () => (await sessions(later)) > 0 && (await sessions(waiting)) === 3
      assert.isNull(await until(goesOn, "the engine of runs waits, too", 12_000))
      await isFree
      await Promise.all(calls)
    } finally {
      await server.kill("SIGKILL")
      await database.stop()
    }
  }, 400_000)
})
